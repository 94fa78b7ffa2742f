/** For how long sliced work may block everything else, in milliseconds. */
const sliceMs = 10

/** The end of the last requested slice. Concurrent work takes its slices one after the other. */
let slices: Promise<unknown> = Promise.resolve()

/** How long slices have blocked other work since it last ran (ms), and whether it is about to run. */
const blocking = { ms: 0, isEnding: false }

function endBlocking(): void {
  blocking.ms = 0
  blocking.isEnding = false
}

/**
 * Does long work in time slices, so that it doesn't block everything else. All such work shares the same slices.
 * Resolves with what the work returns; rejects if it throws.
 *
 * @param work does a small step with each `next`
 */
export async function runInSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const slice = slices.then(() => runSlice(work))
    slices = slice.catch(() => undefined)
    const end = await slice
    if (end.done) return end.value
  }
}

/** Works until the slice is used up or nothing is left. Gives the result of the last step. */
async function runSlice<T>(work: Iterator<unknown, T>): Promise<IteratorResult<unknown, T>> {
  if (blocking.ms >= sliceMs) {
    await new Promise((resolve) => setImmediate(resolve))
    endBlocking()
  }
  const since = performance.now()
  const before = blocking.ms
  let end
  do {
    end = work.next()
    blocking.ms = before + performance.now() - since
  } while (!end.done && blocking.ms < sliceMs)
  if (!blocking.isEnding) setImmediate(endBlocking)
  blocking.isEnding = true
  return end
}
