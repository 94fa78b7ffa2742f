interface Entry {
  run(): void
  settle(): void
  fail(error: unknown): void
}

/**
 * Gives a function that runs writes which arrive together in one transaction, and answers each only once that is
 * committed: one flush of the disk for all of them, where one for each is most of what a creation costs.
 *
 * `transaction` runs what it is given so that all of its writes last or none. A write that throws takes nothing of
 * the others with it: they are all taken back, and run again one by one. A write must therefore be repeatable until
 * its promise is settled.
 */
export function groupCommit(
  transaction: (work: () => void) => void,
): <Result>(write: () => Result) => Promise<Result> {
  let waiting: Entry[] = []

  function commit(): void {
    const group = waiting
    waiting = []
    if (!commitTogether(group) && group.length > 1) group.forEach((entry) => commitTogether([entry]))
  }

  /** Tells whether it worked; a write that fails alone has its answer then. */
  function commitTogether(group: Entry[]): boolean {
    try {
      transaction(() => group.forEach((entry) => entry.run()))
    } catch (error) {
      if (group.length === 1) group[0]!.fail(error)
      return false
    }
    group.forEach((entry) => entry.settle())
    return true
  }

  return <Result>(write: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      let result: Result
      const run = (): void => {
        result = write()
      }
      // After the requests that were read from the network together with this one.
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ run, settle: () => resolve(result), fail: reject })
    })
}
