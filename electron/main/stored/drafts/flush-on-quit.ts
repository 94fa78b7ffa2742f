import { raceTimeout } from '../../async'

/** Makes the form, or another editor, save what it hasn't saved yet, before the application quits. */
export interface FlushOnQuit {
  /** Call it once there is a form that answers. */
  noteForm: () => void
  /** Call it when the form has saved everything. */
  noteFlushed: () => void
  /** Makes the form save everything. Waits no longer than a working form takes. */
  flush: () => Promise<void>
}

/**
 * @param request asks the form to save; gives false if there is no window
 * @param timeoutMs how long to wait, in milliseconds. A working form answers at once, but on a busy machine that may
 * take seconds, and the latest input is worth the wait
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
