import type { QuietHours } from '@contract/cache'

/** Whether a moment is in the quiet hours, by the machine's clock. They may go past midnight. */
export function isQuiet(quiet: QuietHours, at: Date): boolean {
  if (quiet === null) return false
  const { from, to } = quiet
  const pad = (part: number): string => String(part).padStart(2, '0')
  const now = `${pad(at.getHours())}:${pad(at.getMinutes())}`
  return from < to ? from <= now && now < to : from <= now || now < to
}
