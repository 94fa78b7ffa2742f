/** What is needed of a utility process to end it; Electron's `UtilityProcess` has it. */
export interface Endable {
  /** Undefined before the process runs and after its exit was told. */
  pid?: number | undefined
  kill: () => unknown
}

/**
 * Ends a process at once, whatever it is doing: one that hangs in a library of the system may not get to end itself.
 * Does nothing where it has ended already: Electron keeps the `pid` of such a process until its exit was told.
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
