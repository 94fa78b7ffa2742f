import { onScopeDispose, type Ref, shallowRef } from 'vue'
import { shownText } from '@contract/core/untrusted-text'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** A time relative to `now` (milliseconds): "3 hours ago", or "just now" within 45 seconds. An invalid one is shown as it came, made harmless. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000
  if (Number.isNaN(seconds)) return shownText(iso)
  if (Math.abs(seconds) < 45) return 'just now'
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(Math.sign(seconds), 'minute')
}

/** Date and time in this machine's time zone: "21 Nov 2026, 03:46:00". An invalid one is shown as it came, made harmless. */
export function absoluteTime(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? shownText(iso) : absolute.format(time)
}

/** A date in this machine's time zone: "21 Nov 2026". */
export const formatDate = (iso: string): string => date.format(Date.parse(iso))

const now = shallowRef(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

/** The current time in milliseconds, updated every ten seconds while anything uses it. */
export function useNow(): Readonly<Ref<number>> {
  users += 1
  now.value = Date.now()
  timer ??= setInterval(() => {
    now.value = Date.now()
  }, 10_000)
  onScopeDispose(() => {
    users -= 1
    if (users > 0) return
    clearInterval(timer)
    timer = undefined
  })
  return now
}

/** A rounded duration: "40 seconds", "3 minutes", "2 hours". */
export function formatDuration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  const rounded = Math.max(1, Math.round(amount))
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`
}
