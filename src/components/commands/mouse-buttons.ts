/** How long the page and the system may take to report the same press, in milliseconds. */
const echoMs = 500

/** What reports a press of a side button of the mouse: an event in the page, or a command from the system. */
type Reporter = 'page' | 'system'

let last: { reporter: Reporter; ms: number } | null = null

/**
 * Whether a press is a new one. If both report it, as under X11, it counts once, in either order. `nowMs` is a time of
 * `performance.now()`.
 */
export function isNewPress(reporter: Reporter, nowMs: number): boolean {
  const isEcho = last !== null && last.reporter !== reporter && nowMs - last.ms < echoMs
  last = isEcho ? null : { reporter, ms: nowMs }
  return !isEcho
}
