/** A keychain process; Electron's UtilityProcess is one. */
export interface KeychainProcess {
  postMessage: (message: unknown) => void
  on: (event: 'message', listener: (message: unknown) => void) => unknown
  once: (event: 'exit', listener: () => void) => unknown
  off: (event: 'message' | 'exit', listener: (message: unknown) => void) => unknown
  /** Ends the process at once, whatever it is doing. */
  kill: () => void
}

/** What a taker wants. */
export interface ProcessWish {
  /** A new one in any case. */
  anew?: boolean
  /** Before those that wait, and the one that is reserved too. */
  first?: boolean
}

/** The keychain processes, of which the keychains take one for what they have to ask. */
export interface KeychainProcesses {
  /**
   * Gives a process for the taker alone: one that is idle; or one that is in use, when it comes back soon; or a new one,
   * where there are fewer than four. Else the taker waits for its turn, however long that is; takers have limits of time
   * of their own. `used` says that it has been asked before. Rejects when none can be started.
   */
  take: (wish?: ProcessWish) => Promise<{ process: KeychainProcess; used: boolean }>
  /** Takes back a process that has answered everything it was asked. One that has not is to be killed instead. */
  giveBack: (process: KeychainProcess) => void
  /** Ends the idle process, and those in use as they come back: the next ones connect to the keychain anew. */
  renew: () => void
}

/**
 * How long those in use are waited for, in milliseconds: about as long as it takes to start one. Where none comes back by
 * then, they may be asking a human, or hang.
 */
const timeoutMs = 500

/**
 * How many are in use at most: each takes about 84 MB, and a page can have any number of keys asked for. One is reserved,
 * so that a keychain which hangs over the keys of files holds up no profile.
 */
const most = { inUse: 4, reserved: 1 } as const

/** How long an idle process is kept, in milliseconds. */
const keptMs = 300_000

interface Taker {
  wish: ProcessWish
  take: (process: KeychainProcess) => void
  fail: (error: unknown) => void
}

/**
 * Shares processes among the keychains, as starting one takes longer than most of what it is asked. Usually there is
 * one; there are more while the system's keychain keeps a call waiting, so that it holds up no other. The first is
 * started at once, while other things are loaded.
 */
export function keychainProcesses(fork: () => KeychainProcess): KeychainProcesses {
  /** What is heard of those in use: their end. */
  const inUse = new Map<KeychainProcess, () => void>()
  const waiting: Taker[] = []
  const askedBefore = new WeakSet<KeychainProcess>()
  /** Those that are not lent again. */
  const outdated = new WeakSet<KeychainProcess>()
  let idle: { process: KeychainProcess; letGo: () => void } | null = null
  /** Runs while someone waits for one that is in use. */
  let timeout: NodeJS.Timeout | null = null

  function lend(process: KeychainProcess): KeychainProcess {
    const onExit = (): void => {
      inUse.delete(process)
      serve()
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
    return process
  }

  const endIdle = (): void => takeIdle()?.kill()

  /** One for this wish, if it can be had now; `late` says that those in use were waited for. */
  function find({ anew = false, first = false }: ProcessWish, late: boolean): KeychainProcess | null {
    // Where a new one is wanted, that has been idle since before the reason for it.
    if (anew) endIdle()
    const process = takeIdle()
    if (process) return process
    const room = inUse.size < most.inUse - (first ? 0 : most.reserved)
    return room && (anew || late || inUse.size === 0) ? fork() : null
  }

  /** Gives those who wait what can be had now, in their order. */
  function serve(late = false): void {
    if (timeout) clearTimeout(timeout)
    timeout = null
    for (let next = waiting[0]; next; next = waiting[0]) {
      try {
        const process = find(next.wish, late)
        if (!process) {
          // Where there is no room for another one either, nothing but their return helps.
          if (!late) timeout = setTimeout(() => serve(true), timeoutMs)
          return
        }
        next.take(lend(process))
      } catch (error) {
        next.fail(error)
      }
      waiting.shift()
      late = false
    }
  }

  keep(fork())
  return {
    async take(wish = {}) {
      const process = await new Promise<KeychainProcess>((take, fail) => {
        const taker = { wish, take, fail }
        if (wish.first) waiting.unshift(taker)
        else waiting.push(taker)
        // Those who wait already do so for what this one cannot have either, unless it goes before them.
        if (waiting[0] === taker) serve()
      })
      const used = askedBefore.has(process)
      askedBefore.add(process)
      return { process, used }
    },

    giveBack(process) {
      const onExit = inUse.get(process)
      if (!onExit) return
      // It counts as in use until it has ended.
      if (outdated.has(process) || waiting[0]?.wish.anew) {
        process.kill()
        return
      }
      process.off('exit', onExit)
      inUse.delete(process)
      if (idle) process.kill()
      else keep(process)
      serve()
    },

    renew() {
      for (const process of inUse.keys()) outdated.add(process)
      endIdle()
    },
  }
}
