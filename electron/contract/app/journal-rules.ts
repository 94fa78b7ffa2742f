import type { CreationEntry } from './journal'

/** Whether the result of an attempt is open: the service may have created its deployment, or may still create it. */
export const isUnconfirmed = ({ state }: CreationEntry): boolean => state === 'unclear'

/**
 * Whether a later attempt in the same environment is known to have created an attempt's name.
 *
 * @param attempts oldest first
 */
export function isCreatedLater(attempt: CreationEntry, attempts: readonly CreationEntry[]): boolean {
  const place = attempts.findIndex(({ id }) => id === attempt.id)
  return (
    place >= 0 &&
    attempts
      .slice(place + 1)
      .some(
        (one) =>
          one.state === 'created' && one.name === attempt.name && one.environmentId === attempt.environmentId,
      )
  )
}

/**
 * The attempt that blocks sending a name again without consent: the newest unconfirmed one.
 *
 * @param candidates attempts that may block, oldest first
 */
export function blockingAttempt<Entry extends CreationEntry>(
  candidates: readonly Entry[],
  name: string,
): Entry | null {
  return candidates.filter((one) => one.name === name && isUnconfirmed(one)).at(-1) ?? null
}

/**
 * How long an unconfirmed attempt is shown and looked up automatically, in milliseconds. After that, both happen on
 * request only.
 */
const recentMs = 7 * 24 * 3600 * 1000

/** Whether an attempt began recently. */
export const isRecent = ({ startedAt }: CreationEntry, now = Date.now()): boolean =>
  now - Date.parse(startedAt) < recentMs

/** Whether the operator can say that a found deployment is the attempt's. */
export const canBeClaimed = (entry: CreationEntry): boolean =>
  isUnconfirmed(entry) && entry.lookup?.deployment != null
