/** How long a repeated request waits at most, in milliseconds. */
export const pauseMs = 250

/**
 * Gives a function that runs a task at once, and then once for all calls within a pause. Use it for what other programs
 * may request any number of times, such as bringing the window forward, which takes a millisecond.
 */
export function leadingThrottle(task: () => void): () => void {
  let isPausing = false
  let isWaiting = false
  const run = (): void => {
    isWaiting = isPausing
    if (isPausing) return
    isPausing = true
    setTimeout(() => {
      isPausing = false
      if (isWaiting) run()
    }, pauseMs).unref()
    task()
  }
  return run
}
