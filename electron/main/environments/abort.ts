import { type Outcome, fail, failure } from '@contract'

/** Waits for work that others may share until it is done or the one who waits has had enough. */
export async function untilAborted<Value>(
  work: Promise<Outcome<Value>>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Value>> {
  if (!signal) return work
  let stop: (() => void) | undefined
  const aborted = new Promise<Outcome<Value>>((resolve) => {
    stop = () => resolve(fail(failure('cancelled', 'Cancelled.')))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}
