import type { LogLine } from '@contract/life/logs'
import { foldName } from '@contract/core/text'

/** Times to choose from: how far back, in minutes. */
export const spans = [
  { label: 'Last 5 minutes', value: '5' },
  { label: 'Last hour', value: '60' },
  { label: 'Last day', value: '1440' },
]

/** What is wanted of a log. */
interface Wanted {
  search: string
  level: string | null
  /** One of `spans`; null for all times. */
  since: string | null
}

const isAscii = /^[ -~]*$/

/** Whether a message contains a text. As quick as a search through 100,000 lines at each key has to be. */
function containing(text: string): (message: string) => boolean {
  const folded = foldName(text)
  if (!isAscii.test(folded)) return (message) => foldName(message).includes(folded)
  const quick = new RegExp(folded.replace(/[^\w\s]/g, '\\$&'), 'i')
  return (message) => quick.test(message) || (!isAscii.test(message) && foldName(message).includes(folded))
}

/** Whether a line is wanted; null if all are. `now` is in milliseconds. */
export function matches({ search, level, since }: Wanted, now: number): ((line: LogLine) => boolean) | null {
  const text = search.trim()
  if (text === '' && level === null && since === null) return null
  const contains = containing(text)
  const from = since === null ? null : new Date(now - Number(since) * 60_000).toISOString()
  return (line) => {
    if (level !== null && line.level !== level) return false
    if (from !== null && (line.at === null || line.at < from)) return false
    return text === '' || contains(line.message)
  }
}

/** The levels that lines have, each once, in the order of the alphabet. */
export const levelsIn = (lines: readonly LogLine[]): string[] =>
  [...new Set(lines.flatMap(({ level }) => level ?? []))].sort()

/** Lines as text: time, level and message. */
export const logText = (lines: readonly LogLine[]): string =>
  lines.map(({ at, level, message }) => [at, level, message].filter(Boolean).join(' ')).join('\n')
