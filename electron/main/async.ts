// Control of asynchronous work, under the names that Visual Studio Code uses for it. All times are in milliseconds.

/** Runs tasks one after the other, in the order they are queued. */
export class Sequencer {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs a task once all before it have settled. Settles as the task does; a failed task doesn't stop the next one. */
  queue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when all tasks that have been queued so far have settled. */
  async idle(): Promise<void> {
    await this.#last
  }
}

/** Runs a few tasks at a time, in the order they are queued. */
export class Limiter {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** @param max how many tasks run at a time */
  constructor(private readonly max: number) {}

  /** Runs a task as soon as there is room for it. Settles as the task does. */
  async queue<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.max) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await task()
    } finally {
      // The next task takes the place of this one.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

/**
 * Starts to measure one or more requests. Returns a function that gives the span: it ends now, and a monotonic clock
 * says how long ago it began. The system's clock may have been set meanwhile, so only its latest time counts.
 */
export function startSpan(): () => { sentAt: number; receivedAt: number } {
  const start = performance.now()
  return () => {
    const receivedAt = Date.now()
    return { sentAt: receivedAt - Math.round(performance.now() - start), receivedAt }
  }
}

/** Resolves after a time, or as soon as the signal aborts. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/**
 * Waits for a promise until a time limit, and gives undefined then. The work behind the promise continues. Rejects if
 * the promise rejects within the limit.
 *
 * @param onTimeout is called if the limit comes first
 */
export async function raceTimeout<T>(
  promise: Promise<T>,
  ms: number,
  onTimeout?: () => void,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onTimeout?.()
      resolve(undefined)
    }, ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Waits for a promise until the signal aborts, and gives undefined then. The work behind the promise continues. Rejects
 * if the promise rejects before the signal aborts.
 */
export async function raceCancellation<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let cancel = (): void => undefined
  const cancelled = new Promise<undefined>((resolve) => {
    cancel = () => resolve(undefined)
  })
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([cancelled, promise])
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Gives a function that starts a task, or joins the one that is already running. */
export function singleFlight<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= task().finally(() => (running = null))
    return running
  }
}

/** A throttled function; `cancel` drops a run that is due. */
export interface Throttled {
  (): void
  cancel: () => void
}

/** Gives a function that runs a task once per time, at its end, however often the function is called meanwhile. */
export function throttle(task: () => void, ms: number): Throttled {
  let timer: NodeJS.Timeout | undefined
  const run = (): void => {
    timer = undefined
    task()
  }
  return Object.assign(() => void (timer ??= setTimeout(run, ms)), {
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  })
}

/**
 * Repeats an attempt as long as `waitAfter` gives a wait for its result, in milliseconds. Gives the last result, also
 * if the signal aborts during a wait. Rejects if an attempt rejects.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  waitAfter: (result: T, retriesSoFar: number) => number | null,
  signal?: AbortSignal,
  wait: (ms: number) => Promise<void> = (ms) => sleep(ms, signal),
): Promise<T> {
  for (let retriesSoFar = 0; ; retriesSoFar += 1) {
    const result = await attempt()
    const ms = waitAfter(result, retriesSoFar)
    if (ms === null) return result
    await wait(ms)
    if (signal?.aborted) return result
  }
}
