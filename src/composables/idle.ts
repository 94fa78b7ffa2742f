/** Runs `work` when the page is idle, and after `withinMs` at the latest; gives a function that cancels it. */
export function whenIdle(work: () => void, withinMs: number): () => void {
  const request = requestIdleCallback(work, { timeout: withinMs })
  return () => cancelIdleCallback(request)
}
