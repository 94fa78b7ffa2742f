/**
 * Forks a process before anyone needs it, so that it starts while other things are loaded. Gives what forks from then
 * on: the first time it is this one, unless it has ended meanwhile.
 *
 * @param onExit tells when a process ends
 */
export function prefork<Process>(
  fork: () => Process,
  onExit: (process: Process, listener: () => void) => void,
): () => Process {
  let ready: Process | null = fork()
  onExit(ready, () => (ready = null))
  return () => {
    const taken = ready ?? fork()
    ready = null
    return taken
  }
}
