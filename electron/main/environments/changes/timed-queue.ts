/** What came of a turn for the one who asked for it: its result, or that it takes too long to wait for. */
type Turn<Result> = { waited: true; result: Result } | { waited: false }

/** Work that is done one piece after the other, while those who asked for it wait only so long. */
export interface Turns {
  /**
   * Does a piece of work when all before it is done. After `timeoutMs` the asker is told that it takes too
   * long: work that has begun goes on and has its effect; work that has not begun never begins. While a begun
   * piece is overdue, nothing new is accepted. Rejects as the work does.
   */
  take: <Result>(work: () => Promise<Result>) => Promise<Turn<Result>>
  /** Whether someone was told that work which has begun takes too long, and it still goes on. */
  overdue: () => boolean
  /** Resolves when the work that has begun is done. */
  underWay: () => Promise<void>
  /** Resolves when all accepted work is done. */
  idle: () => Promise<void>
}

/** Makes the turns. `onOverdue` is called when whoever asked for begun work is told that it takes too long. */
export function createTimedQueue(timeoutMs: number, onOverdue: () => void): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let current: Promise<unknown> = last
  let overdue = false

  return {
    take<Result>(work: () => Promise<Result>) {
      if (overdue) return Promise.resolve<Turn<Result>>({ waited: false })
      return new Promise<Turn<Result>>((resolve, reject) => {
        let stage: 'queued' | 'begun' | 'given-up' = 'queued'
        const timer = setTimeout(() => {
          if (stage === 'begun') {
            overdue = true
            onOverdue()
          } else {
            stage = 'given-up'
          }
          resolve({ waited: false })
        }, timeoutMs)
        last = last.then(async () => {
          if (stage === 'given-up') return
          stage = 'begun'
          const begun = work()
          current = begun.catch(() => undefined)
          try {
            resolve({ waited: true, result: await begun })
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
          } finally {
            clearTimeout(timer)
            overdue = false
          }
        })
      })
    },
    overdue: () => overdue,
    underWay: async () => {
      await current
    },
    idle: async () => {
      await last
    },
  }
}
