import { raceTimeout } from '../async'

/** How long quitting waits, in milliseconds. A form answers at once, but on a busy machine that may take seconds. */
const timeoutMs = 4_000

/** Makes the form, or another editor, save what it hasn't saved yet, before the application quits. */
export class FlushOnQuit {
  #hasForm = false
  #noteFlushed = (): void => undefined

  /** @param request asks the form to save */
  constructor(private readonly request: () => void) {}

  /** Call it once there is a form that answers. */
  noteForm(): void {
    this.#hasForm = true
  }

  /** Call it when the page with the form no longer exists: nobody would answer. */
  forgetForm(): void {
    this.#hasForm = false
  }

  /** Call it when the form has saved everything. */
  noteFlushed(): void {
    this.#noteFlushed()
  }

  /** Makes the form save everything. */
  async flush(): Promise<void> {
    if (!this.#hasForm) return
    const flushed = new Promise<void>((resolve) => (this.#noteFlushed = resolve))
    this.request()
    await raceTimeout(flushed, timeoutMs)
  }
}
