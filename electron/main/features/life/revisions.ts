import { failure, type Failure, type Outcome, succeed } from '@contract'
import type { RevisionPage } from '@contract/life/revisions'
import type { HttpClient, HttpTarget } from '../../http/types'
import { readAnswer } from '../../processes/answers'
import { revisionsPath } from './offers'

/** Reads a page of a deployment's revisions, newest first. */
export async function readRevisionPage(
  http: HttpClient,
  target: HttpTarget,
  { id, limit, offset }: { id: string; limit: number; offset: number },
  signal: AbortSignal,
): Promise<Outcome<RevisionPage>> {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) })
  const answer = await http.request({ target, method: 'GET', path: revisionsPath(id), query, signal })
  if (!answer.ok) return answer
  const job = { kind: 'revisions', limit, offset } as const
  const read = await readAnswer(answer.value, job, (reason) => unlike('a list of revisions', reason))
  return read.ok ? succeed({ ...read.value, readAt: new Date().toISOString() }) : read
}

export const notOffered = failure('not-allowed', "This environment's service doesn't offer that.", {
  advice: 'The deployment says what the service offers.',
})

/** Whether a service turns out not to have an operation. A 404 with words of its own is about something in it. */
export const isMissing = ({ status, serviceWords }: Failure): boolean =>
  status === 405 || status === 501 || (status === 404 && /^(?:not found\.?)?$/i.test(serviceWords ?? ''))

export const unlike = (what: string, reason: string): Failure =>
  failure('unreadable-answer', `The answer isn't ${what}.`, {
    advice: `Something other than the service may be answering there (${reason}).`,
    retryable: true,
  })
