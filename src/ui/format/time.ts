import { createSharedComposable, useIntervalFn, useTimestamp } from '@vueuse/core'
import { readTime } from '@contract/core/time'
import { shownText } from '@contract/core/text'
import { counted } from './words'

/** Creates a formatter when it is first used, because each takes milliseconds and the first screen uses few. */
function whenUsed<Format>(create: () => Format): () => Format {
  let created: Format | null = null
  return () => (created ??= create())
}

const date = whenUsed(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
)
const absolute = whenUsed(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    }),
)

/** Units, their short forms, and the seconds from which each is used. There are no weeks: "2 weeks" may be 20 days. */
const steps: { unit: string; short: string; length: number; from: number }[] = [
  { unit: 'year', short: 'y', length: 31_536_000, from: 31_536_000 },
  { unit: 'month', short: 'mo', length: 2_592_000, from: 5_184_000 },
  { unit: 'day', short: 'd', length: 86_400, from: 86_400 },
  { unit: 'hour', short: 'h', length: 3_600, from: 3_600 },
  { unit: 'minute', short: 'm', length: 60, from: 0 },
]

/** How far a time is from `now` (milliseconds) in whole units, at least one minute; null within 45 seconds. */
function distance(time: number, now: number): { amount: number; step: (typeof steps)[number] } | null {
  const seconds = (time - now) / 1000
  const far = Math.abs(seconds)
  const step = steps.find(({ from }) => far >= from)
  if (far < 45 || !step) return null
  return { amount: (Math.trunc(far / step.length) || 1) * Math.sign(seconds), step }
}

/**
 * A time relative to `now` (milliseconds): "20 days ago", or "just now" within 45 seconds. An invalid one is shown as
 * it came, made harmless.
 */
export function relativeTime(iso: string, now: number): string {
  const time = readTime(iso)
  if (time === null) return shownText(iso)
  const far = distance(time, now)
  if (!far) return 'just now'
  const words = counted(Math.abs(far.amount), far.step.unit)
  return far.amount > 0 ? `in ${words}` : `${words} ago`
}

/** The same for narrow columns: "20d", "now", "in 5m" for a time to come. */
export function shortAge(iso: string, now: number): string {
  const time = readTime(iso)
  if (time === null) return shownText(iso)
  const far = distance(time, now)
  if (!far) return 'now'
  return `${far.amount > 0 ? 'in ' : ''}${Math.abs(far.amount)}${far.step.short}`
}

/**
 * Date, time and time zone of this machine: "21 Nov 2026, 03:46:00 CET". An invalid one is shown as it came, made
 * harmless.
 */
export function absoluteTime(iso: string): string {
  const time = readTime(iso)
  return time === null ? shownText(iso) : absolute().format(time)
}

/** The date of a valid time in this machine's time zone: "21 Nov 2026". */
export const formatDate = (iso: string): string => date().format(Date.parse(iso))

const day = whenUsed(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }))

const hoursAndMinutes = (time: Date): string =>
  [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')

/**
 * A time below the axis of a chart, in this machine's time zone: "05:58", within a minute "05:58:30", or at the
 * beginning of a day "20 Nov".
 */
export const axisTime = (time: Date): string =>
  time.getSeconds() > 0
    ? `${hoursAndMinutes(time)}:${String(time.getSeconds()).padStart(2, '0')}`
    : time.getHours() + time.getMinutes() === 0
      ? day().format(time)
      : hoursAndMinutes(time)

/** A time for one line, in this machine's time zone: "05:58" today, otherwise "20 Nov 2026, 05:58". */
export function clockTime(iso: string, now: number): string {
  const ms = readTime(iso)
  if (ms === null) return shownText(iso)
  const time = new Date(ms)
  const clock = hoursAndMinutes(time)
  return time.toDateString() === new Date(now).toDateString() ? clock : `${date().format(ms)}, ${clock}`
}

/** How old something is, as "1 min old" or "3 days old"; null for a time to come, or an invalid one. */
export function ageOf(iso: string, now: number): string | null {
  const time = readTime(iso)
  if (time === null) return null
  const far = distance(time, now)
  if (far && far.amount > 0) return null
  if (!far) return 'less than 1 min old'
  const { unit } = far.step
  const short = { minute: 'min', hour: 'h' }[unit]
  return `${short ? `${-far.amount} ${short}` : counted(-far.amount, unit)} old`
}

/** The current time in milliseconds, updated every ten seconds while anything uses it. */
export const useNow = createSharedComposable(() =>
  useTimestamp({ scheduler: (update) => useIntervalFn(update, 10_000) }),
)

/** A rounded duration: "40 seconds", "3 minutes", "2 hours". */
export function formatDuration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  const rounded = Math.max(1, Math.round(amount))
  return counted(rounded, unit)
}
