import { StorageFailure } from '../../base/storage-failure'

/**
 * Returns a function that runs work about one thing one after the other, and work about others meanwhile. What waits
 * for its turn takes nothing from the others, such as a connection.
 *
 * @param patienceMs how long to wait for a turn, in milliseconds. Whoever waited for longer gets a StorageFailure, and
 *   nothing is run
 */
export function sequencerByKey(patienceMs: number) {
  /** The ends of what runs or waits last, by what it is about. */
  const ends = new Map<string, Promise<void>>()

  /** Waits for another's end. */
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
    // Those after one that gave up still wait for those before it.
    const end = Promise.allSettled([before, result]).then(() => {
      if (ends.get(key) === end) ends.delete(key)
    })
    ends.set(key, end)
    return result
  }
}
