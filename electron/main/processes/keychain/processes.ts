/** The part of Electron's UtilityProcess that keychains use. */
export interface KeychainProcess {
  postMessage: (message: unknown) => void
  on: (event: 'message', listener: (message: unknown) => void) => unknown
  once: (event: 'exit', listener: () => void) => unknown
  off: (event: 'message' | 'exit', listener: (message: unknown) => void) => unknown
  /** Ends the process at once, even if it hangs. */
  kill: () => void
}

/** What kind of process a keychain requests. */
export interface ProcessRequest {
  /** Always a new one. */
  anew?: boolean
  /** Before other requests that wait, and from the reserved capacity too. */
  first?: boolean
}

/** The pool of keychain processes. */
export interface KeychainProcesses {
  /**
   * Gives a process for exclusive use: an idle one, one that is returned soon, or a new one while there are fewer than
   * four. Otherwise waits without a limit, since callers have their own. `used` means that the process had calls
   * before. Rejects if none can be started.
   */
  take: (request?: ProcessRequest) => Promise<{ process: KeychainProcess; used: boolean }>
  /** Takes back a process that has answered every call. If it hasn't, kill it instead. */
  giveBack: (process: KeychainProcess) => void
  /** Ends the idle process, and those in use once they are given back: the next ones connect to the keychain again. */
  renew: () => void
}

/**
 * How long to wait for a process in use before another one is started, in milliseconds: about as long as a start takes.
 * A process that takes longer may be asking a human, or hang.
 */
const timeoutMs = 500

/**
 * How many processes may be in use. Each takes about 84 MB, and a page can request any number of keys. One is reserved,
 * so that a keychain that hangs on the keys of files doesn't delay a profile.
 */
const limits = { inUse: 4, reserved: 1 } as const

/** How long an idle process lives, in milliseconds: it takes 28 MB, and is rarely needed after the start. */
const idleMs = 30_000

interface Waiting {
  request: ProcessRequest
  take: (process: KeychainProcess) => void
  fail: (error: unknown) => void
}

/**
 * Shares processes among keychains, since starting one takes longer than most calls. Usually there is one. There are
 * more while the system's keychain keeps a call waiting, so that it delays no other.
 *
 * @param first serves the first calls
 */
export function keychainProcesses(first: KeychainProcess, fork: () => KeychainProcess): KeychainProcesses {
  /** The processes in use, with their exit listeners. */
  const inUse = new Map<KeychainProcess, () => void>()
  const waiting: Waiting[] = []
  const usedBefore = new WeakSet<KeychainProcess>()
  /** Processes that aren't lent again. */
  const outdated = new WeakSet<KeychainProcess>()
  let idle: { process: KeychainProcess; letGo: () => void } | null = null
  /** Runs while a request waits for a process in use. */
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

  function register(process: KeychainProcess): void {
    const letGo = (): void => {
      clearTimeout(timer)
      process.off('exit', letGo)
      idle = null
    }
    const timer = setTimeout(() => {
      letGo()
      process.kill()
    }, idleMs)
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

  /** A process for a request, if one is available now; `late` says that the wait for those in use is over. */
  function find({ anew = false, first = false }: ProcessRequest, late: boolean): KeychainProcess | null {
    // A request for a new one outdates the idle one.
    if (anew) endIdle()
    const process = takeIdle()
    if (process) return process
    const room = inUse.size < limits.inUse - (first ? 0 : limits.reserved)
    return room && (anew || late || inUse.size === 0) ? fork() : null
  }

  /** Serves waiting requests in order, as long as processes are available. */
  function serve(late = false): void {
    if (timeout) clearTimeout(timeout)
    timeout = null
    for (let next = waiting[0]; next; next = waiting[0]) {
      try {
        const process = find(next.request, late)
        if (!process) {
          // At the limit, only a returned process helps.
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

  register(first)
  return {
    async take(request = {}) {
      const process = await new Promise<KeychainProcess>((take, fail) => {
        const entry = { request, take, fail }
        if (request.first) waiting.unshift(entry)
        else waiting.push(entry)
        // Earlier requests wait for the same, unless this one goes before them.
        if (waiting[0] === entry) serve()
      })
      const used = usedBefore.has(process)
      usedBefore.add(process)
      return { process, used }
    },

    giveBack(process) {
      const onExit = inUse.get(process)
      if (!onExit) return
      // It counts as in use until it has ended.
      if (outdated.has(process) || waiting[0]?.request.anew) {
        process.kill()
        return
      }
      process.off('exit', onExit)
      inUse.delete(process)
      if (idle) process.kill()
      else register(process)
      serve()
    },

    renew() {
      for (const process of inUse.keys()) outdated.add(process)
      endIdle()
    },
  }
}
