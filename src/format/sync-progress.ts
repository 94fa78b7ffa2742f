import type { SyncProgressView } from '@contract/cache'
import { formatDuration } from './time'

const count = (value: number): string => Math.round(value).toLocaleString('en-GB')

/** How far a synchronisation is, in words; of how many and for how long only where that is known. */
export function formatSyncProgress(progress: SyncProgressView): string {
  const { phase, pass, covered, expected, perSecond, secondsLeft } = progress
  if (phase === 'confirming') return 'Synchronising: asking for what was not seen'
  if (covered === 0 && pass === 1) return 'Synchronising: asking for the list'
  // A list that has grown has no known length any more.
  const of = expected === null || expected < covered ? ' so far' : ` of about ${count(expected)}`
  const rate = perSecond >= 1 ? `, ${count(perSecond)} a second` : ''
  const left = secondsLeft === null || secondsLeft < 1 ? '' : `, about ${formatDuration(secondsLeft)} left`
  return `${pass > 1 ? 'Checking' : 'Synchronising'}: ${count(covered)}${of}${rate}${left}`
}
