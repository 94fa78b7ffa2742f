import { raceTimeout } from '../async'

/** Gets from the form what it hasn't saved yet, before the application quits. */
export interface FlushOnQuit {
  /** Call it once there is a form that answers. */
  noteForm: () => void
  /** Call it when the form has saved everything. */
  noteFlushed: () => void
  /** Makes the form save everything; waits no longer than a working form needs. */
  flush: () => Promise<void>
}

/**
 * @param request asks the form to save; gives false if there is no window
 * @param timeoutMs how long to wait, in milliseconds. A working form answers at once, but on a busy machine that takes
 *   seconds, and what was typed last is worth them
 */
export function createFlushOnQuit(request: () => boolean, timeoutMs = 4_000): FlushOnQuit {
  let hasForm = false
  let noteFlushed = (): void => undefined
  return {
    noteForm: () => {
      hasForm = true
    },
    noteFlushed: () => noteFlushed(),
    async flush() {
      if (!hasForm) return
      const flushed = new Promise<void>((resolve) => (noteFlushed = resolve))
      if (request()) await raceTimeout(flushed, timeoutMs)
    },
  }
}
