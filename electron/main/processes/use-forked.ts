/**
 * Uses a process that was forked ahead, so that it starts while other code loads. Gives a function that returns this
 * process the first time, unless it has ended, and forks a new one otherwise.
 *
 * @param onExit calls its listener when a process ends
 */
export function useForked<Process>(
  forked: Process,
  fork: () => Process,
  onExit: (process: Process, listener: () => void) => void,
): () => Process {
  let ready: Process | null = forked
  onExit(forked, () => (ready = null))
  return () => {
    const taken = ready ?? fork()
    ready = null
    return taken
  }
}
