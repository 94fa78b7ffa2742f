/** How the form is asked for what it has not told yet, before the application ends. */
export interface FlushOnQuit {
  /** From now on there is a form that answers. */
  expect: () => void
  /** It has answered. */
  told: () => void
  /** Asks and waits for the answer, but no longer than a form that lives needs for one. */
  gather: () => Promise<void>
}

/**
 * @param ask asks the form; false where there is no window to ask
 * @param timeoutMs how long to wait for its answer, in milliseconds: a form that lives answers at once, but on a machine
 *   that is busy with much else "at once" takes seconds, and what was typed last is worth them
 */
export function createFlushOnQuit(ask: () => boolean, timeoutMs = 4_000): FlushOnQuit {
  let expected = false
  let told: () => void = () => undefined
  return {
    expect: () => {
      expected = true
    },
    told: () => told(),
    async gather() {
      if (!expected) return
      await new Promise<void>((resolve) => {
        told = resolve
        if (ask()) setTimeout(resolve, timeoutMs)
        else resolve()
      })
    },
  }
}
