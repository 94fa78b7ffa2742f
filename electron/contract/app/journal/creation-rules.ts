import type { CreationEntry } from './creation'

/** Whether the result of an attempt is open: the service may have created its deployment, or may still create it. */
export const isUnconfirmed = ({ state }: CreationEntry): boolean =>
  state === 'unclear' || state === 'not-created'

/**
 * Whether an attempt reached the network and was refused there. Chromium or a gateway may have sent it twice, so the
 * list may still show later that it was carried out.
 */
export const isRefusedOutside = ({ state, failure, heldBack }: CreationEntry): boolean =>
  state === 'refused' && failure !== null && !heldBack

/**
 * Whether a later attempt at the same service is known to have created an attempt's name. Attempts of a version that
 * didn't store the earlier attempts are compared by the journal's order and their environment.
 *
 * @param attempts all attempts that may have created it, oldest first
 */
export function isCreatedLater(attempt: CreationEntry, attempts: readonly CreationEntry[]): boolean {
  const place = attempts.findIndex(({ id }) => id === attempt.id)
  const isLaterAtPlace = (one: CreationEntry, at: number): boolean =>
    place >= 0 &&
    at > place &&
    attempt.before === null &&
    one.name === attempt.name &&
    one.environmentId === attempt.environmentId
  return attempts.some(
    (one, at) => one.state === 'created' && (one.before?.includes(attempt.id) ?? isLaterAtPlace(one, at)),
  )
}

/**
 * The attempt that blocks sending a name again without consent: the newest unconfirmed one. A `not-created` one blocks
 * too, until a later attempt has created the name at the same service.
 *
 * @param candidates attempts that may block, oldest first
 * @param attempts all attempts that may have created the name later, oldest first
 */
export function blockingAttempt<Entry extends CreationEntry>(
  candidates: readonly Entry[],
  name: string,
  attempts: readonly CreationEntry[] = candidates,
): Entry | null {
  return (
    candidates
      .filter(
        (one) =>
          one.name === name &&
          isUnconfirmed(one) &&
          (one.state === 'unclear' || !isCreatedLater(one, attempts)),
      )
      .at(-1) ?? null
  )
}

/**
 * How long an unconfirmed attempt is shown and looked up automatically, in milliseconds. After that, both happen on
 * request only.
 */
const recentMs = 7 * 24 * 3600 * 1000

/**
 * Whether an attempt began recently. If the clock was wrong then, the service's clock or earlier entries of the
 * journal limit its age.
 *
 * @param earlier entries that began before it
 */
export function isRecent(
  { startedAt, endedAt, startedAtService }: CreationEntry,
  earlier: readonly { startedAt: string }[],
  now = Date.now(),
): boolean {
  const times = [startedAt, endedAt, startedAtService, ...earlier.map((one) => one.startedAt)]
  return times.some((time) => time !== null && now - Date.parse(time) < recentMs)
}

/**
 * Whether only the operator can say that the found deployment is the attempt's: it differs from what was sent, too
 * little of it is known, or it is one of several.
 */
export const canBeClaimed = ({ state, lookup }: CreationEntry): boolean =>
  state === 'unclear' &&
  lookup?.deployment != null &&
  (lookup.verdict === 'different' || lookup.verdict === 'cannot-tell')
