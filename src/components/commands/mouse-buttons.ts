/** How long the page and the system may take to report the same press, in milliseconds. */
const echoMs = 500

/** Who reports a press of a side button of the mouse: an event in the page, or a command from the system. */
type Teller = 'page' | 'system'

let last: { teller: Teller; ms: number } | null = null

/**
 * Whether a press is a new one. If both report it, as under X11, it counts once, in either order. `nowMs` is a time of
 * `performance.now()`.
 */
export function isNewPress(teller: Teller, nowMs: number): boolean {
  const isEcho = last !== null && last.teller !== teller && nowMs - last.ms < echoMs
  last = isEcho ? null : { teller, ms: nowMs }
  return !isEcho
}
