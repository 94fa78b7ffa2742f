import { fail, failure, type Failure, type Outcome, type ParsedCallInput, succeed } from '@contract'
import type { FailedRevision, Revision, RevisionPage } from '@contract/life/revisions'
import type { HttpClient, HttpTarget } from '../../http/client'
import { readAnswer } from '../../processes/answers'
import { type OffersReader, revisionsPath } from './offers'
import { failedOf, isRevisionUnderWay } from '@contract/life/rules'
import type { Environments } from '../../environments'
import { accountIdentity, environmentChangedFailure } from '../../environments/known'

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
  const read = await readAnswer(answer.value, job, 'a list of revisions')
  return read.ok ? succeed({ ...read.value, readAt: new Date().toISOString() }) : read
}

export const notOffered = failure('not-allowed', "This environment's service doesn't offer that.", {
  advice: 'The deployment says what the service offers.',
})

/** Whether a service turns out not to have an operation. A 404 with words of its own is about something in it. */
export const isMissing = ({ status, serviceWords }: Failure): boolean =>
  status === 405 || status === 501 || (status === 404 && /^(?:not found\.?)?$/i.test(serviceWords ?? ''))

/** Tells which of some deployments' latest revision failed. */
export type FailedRevisions = (
  input: ParsedCallInput<'life.failed'>,
  signal: AbortSignal,
) => Promise<Outcome<FailedRevision[]>>

/** How long a latest revision that hasn't ended, or couldn't be read, isn't read again, in milliseconds. */
const readAgainAfterMs = 300_000

/** How many latest revisions are remembered, of all environments. */
const remembered = 10_000

/**
 * Tells which deployments' latest revision failed. Each revision is read once if it has ended, and every five minutes
 * until then, whoever asks. Nothing is read where the service has no revisions.
 */
export function createFailedRevisions(
  environments: Environments,
  http: HttpClient,
  offers: OffersReader,
): FailedRevisions {
  const known = new Map<string, { revision: Revision | null; at: number }>()

  return async ({ environmentId, deployments }, signal) => {
    const ready = await environments.ready(environmentId, signal)
    if (!ready.ok) return ready
    const account = accountIdentity(ready.value.target)
    // What comes of it says nothing about the connection of the environment.
    const target = { ...ready.value.target, environmentId: null }
    const failed: FailedRevision[] = []
    for (const { id, latestRevisionId } of deployments) {
      const key = JSON.stringify([account, id, latestRevisionId])
      const before = known.get(key)
      const isFresh = before && performance.now() - before.at < readAgainAfterMs
      if (!isFresh && (!before?.revision || isRevisionUnderWay(before.revision.status))) {
        const offered = await offers.of(ready.value.target, id, signal)
        if (!offered.ok || !offered.value.operations.includes('revisions')) break
        const page = await readRevisionPage(http, target, { id, limit: 1, offset: 0 }, signal)
        const revision = page.ok ? page.value.revisions.find((one) => one.id === latestRevisionId) : null
        if (known.size >= remembered) known.clear()
        known.set(key, { revision: revision ?? null, at: performance.now() })
        if (!page.ok) break
      }
      const { revision } = known.get(key) ?? {}
      if (revision) failed.push(...failedOf(id, revision))
    }
    const now = await environments.ready(environmentId, signal)
    const isSame = now.ok && accountIdentity(now.value.target) === account
    return isSame ? succeed(failed) : fail(environmentChangedFailure)
  }
}
