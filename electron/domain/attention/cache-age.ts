/**
 * Since when a cache is older than its interval allows (ISO 8601); null if it isn't. Twice the interval is allowed: a
 * synchronisation only begins at its end, and a cache that is kept up to date must not flicker here.
 *
 * @param synchronisedAt when the last full synchronisation ended (ISO 8601); null if there was none
 * @param intervalMinutes how often it is synchronised; 0 is never, so that every age is allowed
 * @param now milliseconds since 1970
 */
export function overdueSince(
  synchronisedAt: string | null,
  intervalMinutes: number,
  now: number,
): string | null {
  if (synchronisedAt === null || intervalMinutes === 0) return null
  const allowedUntil = Date.parse(synchronisedAt) + 2 * intervalMinutes * 60_000
  return now > allowedUntil ? new Date(allowedUntil).toISOString() : null
}
