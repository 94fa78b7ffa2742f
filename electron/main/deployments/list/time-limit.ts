/**
 * Does work with a signal that aborts as soon as the given one does, for its reason, or else after a time. The work has
 * to end then by itself.
 *
 * @param reason what the signal aborts with when the time is over
 */
export async function withTimeLimit<T>(
  ms: number,
  reason: unknown,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController()
  const giveUp = (): void => limited.abort(signal.reason)
  const timer = setTimeout(() => limited.abort(reason), ms)
  if (signal.aborted) giveUp()
  else signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await work(limited.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}
