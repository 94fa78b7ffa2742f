import { raceTimeout, Sequencer } from '../../async'

/** Runs tasks one after the other. Callers stop waiting after a timeout. */
export class TimedQueue {
  readonly #sequencer = new Sequencer()
  #running: Promise<unknown> = Promise.resolve()
  #isOverdue = false

  /** @param onOverdue is called when a caller stops waiting for a task that runs */
  constructor(
    private readonly timeoutMs: number,
    private readonly onOverdue: () => void,
  ) {}

  /** Whether a caller stopped waiting for a task that still runs. Nothing is queued meanwhile. */
  get isOverdue(): boolean {
    return this.#isOverdue
  }

  /**
   * Runs a task after those before it. Gives undefined after the timeout: a running task continues and takes effect,
   * and one that hasn't started never starts. Rejects if the task rejects.
   */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#isOverdue) return undefined
    let stage: 'queued' | 'running' | 'expired' = 'queued'
    const result = this.#sequencer.queue(async () => {
      if (stage === 'expired') return undefined
      stage = 'running'
      const running = task()
      this.#running = running.catch(() => undefined)
      try {
        return await running
      } finally {
        this.#isOverdue = false
      }
    })
    return await raceTimeout(result, this.timeoutMs, () => {
      if (stage === 'running') {
        this.#isOverdue = true
        this.onOverdue()
      } else {
        stage = 'expired'
      }
    })
  }

  /** Resolves when the running task has settled. */
  async currentSettled(): Promise<void> {
    await this.#running
  }

  /** Resolves when all queued tasks have settled. */
  async idle(): Promise<void> {
    await this.#sequencer.idle()
  }
}
