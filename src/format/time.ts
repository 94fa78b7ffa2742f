import { onScopeDispose, type Ref, shallowRef } from 'vue'
import { shownText } from '@contract/core/untrusted-text'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** A time in words, seen from `now` (milliseconds): "3 hours ago"; "just now" within 45 seconds. One that cannot be read stays as it came, but harmless. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000
  if (Number.isNaN(seconds)) return shownText(iso)
  if (Math.abs(seconds) < 45) return 'just now'
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(Math.sign(seconds), 'minute')
}

/** A time as date and time of this machine's zone: "21 Nov 2026, 03:46:00". One that cannot be read stays as it came, but harmless. */
export function absoluteTime(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? shownText(iso) : absolute.format(time)
}

const now = shallowRef(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

/** The present time in milliseconds, renewed every ten seconds while anything uses it. */
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

/** A length of time in words, roughly: "40 seconds", "3 minutes", "2 hours". */
export function formatDuration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  const rounded = Math.max(1, Math.round(amount))
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`
}
