/** A keychain process; Electron's UtilityProcess is one. */
export interface KeychainProcess {
  postMessage: (message: unknown) => void
  on: (event: 'message', listener: (message: unknown) => void) => unknown
  once: (event: 'exit', listener: () => void) => unknown
  off: (event: 'message' | 'exit', listener: (message: unknown) => void) => unknown
  /** Ends the process at once, whatever it is doing. */
  kill: () => void
}

/** The keychain processes, of which the keychains take one for what they have to ask. */
export interface KeychainProcesses {
  /**
   * Gives a process for the taker alone: one that is idle; or one that is in use, when it comes back soon; or a new one.
   * `used` says that it has been asked before. Rejects when none can be started.
   *
   * @param anew has a new one started in any case
   */
  take: (anew?: boolean) => Promise<{ process: KeychainProcess; used: boolean }>
  /** Takes back a process that has answered everything it was asked. One that has not is to be killed instead. */
  giveBack: (process: KeychainProcess) => void
  /** Ends the idle process, and those in use as they come back: the next ones connect to the keychain anew. */
  renew: () => void
}

/**
 * How long a process that is in use is waited for, in milliseconds: about as long as it takes to start one. One that
 * does not come back by then may be asking a human, or hang.
 */
const patienceMs = 500

/** How long an idle process is kept, in milliseconds. */
const keptMs = 300_000

/**
 * Shares processes among the keychains, as starting one takes longer than most of what it is asked. Usually there is
 * one; there are more while the system's keychain keeps a call waiting, so that it holds up no other. The first is
 * started at once, while other things are loaded.
 */
export function keychainProcesses(fork: () => KeychainProcess): KeychainProcesses {
  /** What is heard of those in use: their end. */
  const inUse = new Map<KeychainProcess, () => void>()
  const waiting: ((process: KeychainProcess | null) => void)[] = []
  const askedBefore = new WeakSet<KeychainProcess>()
  /** Those that are not lent again. */
  const outdated = new WeakSet<KeychainProcess>()
  let idle: { process: KeychainProcess; letGo: () => void } | null = null

  function lend(process: KeychainProcess): KeychainProcess {
    const onExit = (): void => {
      inUse.delete(process)
      if (inUse.size === 0) for (const resolve of waiting.splice(0)) resolve(null)
    }
    process.once('exit', onExit)
    inUse.set(process, onExit)
    return process
  }

  function keep(process: KeychainProcess): void {
    const letGo = (): void => {
      clearTimeout(timer)
      process.off('exit', letGo)
      idle = null
    }
    const timer = setTimeout(() => {
      letGo()
      process.kill()
    }, keptMs)
    process.once('exit', letGo)
    idle = { process, letGo }
  }

  function takeIdle(): KeychainProcess | null {
    if (!idle) return null
    const { process, letGo } = idle
    letGo()
    return lend(process)
  }

  /** One that comes back in time, lent already; null where none does. */
  function comesBack(): Promise<KeychainProcess | null> {
    if (inUse.size === 0) return Promise.resolve(null)
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer(null), patienceMs)
      const answer = (process: KeychainProcess | null): void => {
        clearTimeout(timer)
        const place = waiting.indexOf(answer)
        if (place >= 0) waiting.splice(place, 1)
        resolve(process)
      }
      waiting.push(answer)
    })
  }

  keep(fork())
  return {
    async take(anew = false) {
      const process = (anew ? null : (takeIdle() ?? (await comesBack()))) ?? lend(fork())
      const used = askedBefore.has(process)
      askedBefore.add(process)
      return { process, used }
    },

    giveBack(process) {
      const onExit = inUse.get(process)
      if (!onExit) return
      if (outdated.has(process)) {
        process.kill()
        return
      }
      process.off('exit', onExit)
      inUse.delete(process)
      const next = waiting.shift()
      if (next) next(lend(process))
      else if (idle) process.kill()
      else keep(process)
    },

    renew() {
      for (const process of inUse.keys()) outdated.add(process)
      const process = idle?.process
      idle?.letGo()
      process?.kill()
    },
  }
}
