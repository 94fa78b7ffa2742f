/** The part of Electron's `UtilityProcess` that ends it. */
export interface Endable {
  /** Undefined before the process runs and after its `exit` event. */
  pid?: number | undefined
  kill: () => unknown
}

/**
 * Ends a process at once: one that hangs in a system library can't end itself. Does nothing if it has already ended:
 * Electron keeps its `pid` until the `exit` event.
 */
export function endProcess(child: Endable): void {
  if (child.pid === undefined) {
    child.kill()
    return
  }
  try {
    process.kill(child.pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
