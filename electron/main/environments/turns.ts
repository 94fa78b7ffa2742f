/** What came of a turn for the one who asked for it: its result, or that it takes too long to wait for. */
export type Turn<Result> = { waited: true; result: Result } | { waited: false }

/** Work that is done one piece after the other, while those who asked for it wait only so long. */
export interface Turns {
  /**
   * Does a piece of work when all before it is done. After `patienceMs` the asker is told that it takes too
   * long: work that has begun goes on and has its effect; work that has not begun never begins. While a begun
   * piece is overdue, nothing new is accepted.
   */
  take: <Result>(work: () => Promise<Result>) => Promise<Turn<Result>>
  /** Whether a piece of work has gone on for longer than `patienceMs`. */
  overdue: () => boolean
  /** Resolves when the work that has begun is done. */
  underWay: () => Promise<void>
  /** Resolves when all accepted work is done. */
  idle: () => Promise<void>
}

/** Makes the turns. `onOverdue` is called when begun work exceeds `patienceMs`. */
export function createTurns(patienceMs: number, onOverdue: () => void): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let current: Promise<unknown> = last
  let overdue = false

  async function begin<Result>(work: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => {
      overdue = true
      onOverdue()
    }, patienceMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      overdue = false
    }
  }

  return {
    take<Result>(work: () => Promise<Result>) {
      if (overdue) return Promise.resolve<Turn<Result>>({ waited: false })
      return new Promise<Turn<Result>>((resolve, reject) => {
        let gaveUp = false
        const timer = setTimeout(() => {
          gaveUp = true
          resolve({ waited: false })
        }, patienceMs)
        const turn = last.then(async () => {
          if (gaveUp) return
          const begun = begin(work)
          current = begun.catch(() => undefined)
          const result = await begun
          clearTimeout(timer)
          resolve({ waited: true, result })
        })
        turn.catch((error: unknown) => {
          clearTimeout(timer)
          reject(error instanceof Error ? error : new Error(String(error)))
        })
        last = turn.catch(() => undefined)
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
