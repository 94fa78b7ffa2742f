/** How long a repeated request waits at most, in milliseconds. */
export const pauseMs = 250

/**
 * Gives a function that does `work` at once, and then once for all calls in a pause. For what other programs can ask
 * for any number of times: to bring the window forward takes a millisecond each time.
 */
export function inPauses(work: () => void): () => void {
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
    work()
  }
  return run
}
