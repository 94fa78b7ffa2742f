interface Entry {
  run(): void
  settle(): void
  fail(error: unknown): void
}

/**
 * Returns a function that runs concurrent writes in one transaction, and settles each once the transaction is
 * committed. They share one disk flush, which is most of a creation's cost.
 *
 * If a write throws, all are rolled back and run again one by one, so that it can't affect the others. A write must
 * therefore be repeatable until its promise is settled.
 *
 * @param transaction runs a function so that either all of its writes last or none does
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

  /** Returns whether the transaction was committed. A single write that fails is rejected here. */
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
      // Commits after the other requests that arrived in the same iteration of the event loop.
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ run, settle: () => resolve(result), fail: reject })
    })
}
