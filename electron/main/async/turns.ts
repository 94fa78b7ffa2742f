/** For how long work that is done in turns may block everything else, in milliseconds. */
const turnMs = 10

/** The end of the last requested turn. Concurrent tasks take their turns one after the other. */
let turns: Promise<unknown> = Promise.resolve()

/** How long turns have blocked other work since that last had its turn (ms), and whether its turn is due. */
const blocking = { ms: 0, isEnding: false }

function endBlocking(): void {
  blocking.ms = 0
  blocking.isEnding = false
}

/**
 * Does long work a little at a time, so that it doesn't block everything else. All such work shares the same turns.
 * Resolves with what the work returns; rejects if it throws.
 *
 * @param work does a small step with each `next`
 */
export async function inTurns<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const turn = turns.then(() => inOneTurn(work))
    turns = turn.catch(() => undefined)
    const end = await turn
    if (end.done) return end.value
  }
}

/** Works until the turn is used up or nothing is left. Gives the result of the last step. */
async function inOneTurn<T>(work: Iterator<unknown, T>): Promise<IteratorResult<unknown, T>> {
  if (blocking.ms >= turnMs) {
    await new Promise((resolve) => setImmediate(resolve))
    endBlocking()
  }
  const since = performance.now()
  const before = blocking.ms
  let end
  do {
    end = work.next()
    blocking.ms = before + performance.now() - since
  } while (!end.done && blocking.ms < turnMs)
  if (!blocking.isEnding) setImmediate(endBlocking)
  blocking.isEnding = true
  return end
}
