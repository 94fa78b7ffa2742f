interface Entry<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Returns a function that collects items that arrive together, and passes them to `run` in one call: a statement for
 * several costs little more than for one.
 *
 * @param run handles items, and gives a result for each, in their order. If it fails, and `isShared` doesn't say that
 *   the failure concerns all of them, they are passed again one by one, so that one can't affect the others
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
      // After the other requests of the same turn of the event loop.
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ item, resolve, reject })
    })
}
