import type { SyncProgressView } from '@contract/cache'
import { formatCount } from './count'
import { formatDuration } from './time'

/** The progress of a synchronisation; the total and the time left only where they are known. */
export function formatSyncProgress(progress: SyncProgressView): string {
  const { phase, pass, covered, expected, perSecond, secondsLeft } = progress
  if (phase === 'confirming') return 'Syncing: checking deleted deployments'
  if (covered === 0 && pass === 1) return 'Syncing: requesting the list'
  // After the list has grown, its length is unknown.
  const of = expected === null || expected < covered ? ' so far' : ` of about ${formatCount(expected)}`
  const rate = perSecond >= 1 ? `, ${formatCount(perSecond)} a second` : ''
  const left = secondsLeft === null || secondsLeft < 1 ? '' : `, about ${formatDuration(secondsLeft)} left`
  return `${pass > 1 ? 'Checking' : 'Syncing'}: ${formatCount(covered)}${of}${rate}${left}`
}
