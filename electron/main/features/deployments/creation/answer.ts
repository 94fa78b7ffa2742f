import { fail, failure, type Failure, type Outcome, pageLimits, type ReadDetail, succeed } from '@contract'
import { sleep } from '../../../async'
import type { HttpAnswer } from '../../../http/types'
import { readAnswer } from '../../../processes/answers'
import { findAttempt, othersAt } from '../attempts/known'
import { compare } from '../attempts/sent'
import { listPage, queryForId } from '../list/page'
import { lostTrack } from './failures'
import type { Creation, CreationContext } from './types'

/** Statuses that mean that the deployment in the body was created. */
const creating: readonly number[] = [200, 201, 202, 204]

/**
 * Reads the answer to a creation. It must contain the new deployment, with its name, and not one that is known to be
 * another; or its identifier, under which the list has a deployment with the name.
 */
export async function readCreated(
  context: CreationContext,
  creation: Creation,
  attemptId: string,
  answer: HttpAnswer,
): Promise<Outcome<ReadDetail>> {
  const { status } = answer
  const notCreated = (what = 'not with the new deployment'): Failure =>
    failure('unreadable-answer', `The service answered ${status}, but ${what}.`, { status, sent: 'answered' })
  if (!creating.includes(status)) return fail(notCreated())
  const read = await readAnswer(answer, { kind: 'detail' }, () => notCreated())
  const detail = read.ok ? read.value : await findAnswered(context.http, creation, answer)
  // Whatever is wrong with the answer, sending again would be another creation.
  if (!detail) return read.ok ? fail(notCreated()) : fail({ ...read.failure, retryable: false })
  if (detail.deployment.name !== creation.request.name) return fail(notCreated())
  return (await isAnothers(context, creation, attemptId, detail))
    ? fail(notCreated("with a deployment that doesn't seem to be the new one"))
    : succeed(detail)
}

/** The waits before the list is read for a deployment that was just created, in milliseconds. */
const listedAfterMs = [0, 1_000, 3_000] as const

/** Reads from the list the deployment whose identifier alone was answered; null if it isn't there yet. */
async function findAnswered(
  http: CreationContext['http'],
  { environment, request }: Creation,
  answer: HttpAnswer,
): Promise<ReadDetail | null> {
  const read = await readAnswer(answer, { kind: 'identifier' }, () => lostTrack)
  const id = (read.ok ? read.value : null) ?? lastSegment(answer.location ?? '')
  if (!id) return null
  const byName = new URLSearchParams({ name_contains: request.name, limit: String(pageLimits.max) })
  for (const waitMs of listedAfterMs) {
    const signal = AbortSignal.timeout(waitMs + 15_000)
    await sleep(waitMs, signal)
    for (const query of [queryForId(id), byName]) {
      const job = { kind: 'found', limit: pageLimits.max, id } as const
      const found = await listPage(http, environment.target, query, signal, job)
      const detail = found.ok ? found.value.detail : null
      if (detail?.deployment.name === request.name) return detail
    }
  }
  return null
}

/** The end of an address's path. */
function lastSegment(location: string): string | undefined {
  const path = location.replace(/[?#].*$/s, '').replace(/\/+$/, '')
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return undefined
  }
}

/**
 * Whether a deployment that was answered as the new one is known to be another: another attempt created it, or it has
 * other values than were sent. Services round numbers of the resource spec and rewrite its quantities, which proves
 * nothing, and neither do missing members.
 */
async function isAnothers(
  { journal }: CreationContext,
  { environment }: Creation,
  attemptId: string,
  { deployment }: ReadDetail,
): Promise<boolean> {
  const attempt = await findAttempt(journal, attemptId)
  if (!attempt) return false
  const { taken } = await othersAt(journal, environment, attempt)
  const contradictions = attempt.sent ? compare(attempt.sent, deployment).contradictions : []
  return (
    taken.has(deployment.id) ||
    contradictions.some((member) => !member.startsWith('source_config.resource_spec.'))
  )
}
