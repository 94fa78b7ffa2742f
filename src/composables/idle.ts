/**
 * Does `work` when the page has neither a key to answer nor a picture to make, and after `withinMs` in any case; gives
 * the function that calls it off.
 */
export function whenIdle(work: () => void, withinMs: number): () => void {
  const request = requestIdleCallback(work, { timeout: withinMs })
  return () => cancelIdleCallback(request)
}
