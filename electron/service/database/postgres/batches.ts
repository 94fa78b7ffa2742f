interface Entry<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Returns a function that hands items which arrive together to `run` in one call, since a statement for several costs
 * little more than one for a single one.
 *
 * @param run handles items, and gives a result for each, in their order. If it fails with what `isShared` doesn't hold
 *   to be the fault of all, they are handed over again one by one, so that one can't affect the others
 * @param most items of a call
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result[]>,
  isShared: (error: unknown) => boolean,
  most: number,
): (item: Item) => Promise<Result> {
  let waiting: Entry<Item, Result>[] = []

  function flush(): void {
    const entries = waiting
    waiting = []
    for (let start = 0; start < entries.length; start += most) void runAll(entries.slice(start, start + most))
  }

  async function runAll(entries: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await run(entries.map(({ item }) => item))
      entries.forEach((entry, index) => entry.resolve(results[index]!))
    } catch (error) {
      if (entries.length === 1 || isShared(error)) entries.forEach((entry) => entry.reject(error))
      else await Promise.all(entries.map((entry) => runAll([entry])))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // After the other requests that arrived in the same turn of the event loop.
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ item, resolve, reject })
    })
}
