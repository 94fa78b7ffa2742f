/** For how long the page and the system may tell of the same press, in milliseconds. */
const echoMs = 500

/** Who tells of a press of the buttons at the mouse's side: the page's own event, or a command of the system. */
type Teller = 'page' | 'system'

let last: { teller: Teller; ms: number } | null = null

/**
 * Whether a press is a new one, at a time of `performance.now()`. Where both tell of it, as under X11, in whichever order, it counts
 * once.
 */
export function isNewPress(teller: Teller, nowMs: number): boolean {
  const isEcho = last !== null && last.teller !== teller && nowMs - last.ms < echoMs
  last = isEcho ? null : { teller, ms: nowMs }
  return !isEcho
}
