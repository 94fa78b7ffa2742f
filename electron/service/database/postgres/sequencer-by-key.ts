import { StorageFailure } from '../../base/storage-failure'

/**
 * Returns a function that runs tasks with the same key one after the other, and those with different keys concurrently.
 * A waiting task holds no resource, such as a connection.
 *
 * @param patienceMs how long to wait for a turn, in milliseconds. After that, the task isn't run, and its caller gets a
 *   StorageFailure
 */
export function sequencerByKey(patienceMs: number) {
  /** The end of the last task that runs or waits, by key. */
  const ends = new Map<string, Promise<void>>()

  /** Waits for the end of another task. */
  function waitFor(end: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void =>
        reject(new StorageFailure('unavailable', 'Too many changes of one deployment wait for each other.'))
      const timer = setTimeout(giveUp, patienceMs)
      void end.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = ends.get(key)
    const result = before === undefined ? work() : waitFor(before).then(work)
    // Tasks behind one that gave up still wait for those before it.
    const end = Promise.allSettled([before, result]).then(() => {
      if (ends.get(key) === end) ends.delete(key)
    })
    ends.set(key, end)
    return result
  }
}
