import { utilityProcess } from 'electron'
import { log, logProcess } from '../log'
import type { ServiceProcess } from './built-in-service'
import type { ForkedStore } from './store-process'
import { Worker } from 'node:worker_threads'

/** Starts a process of the built-in service from its program, `out/service/service.cjs`. */
export function forkBuiltInService(
  program: string,
  args: string[],
  variables: Record<string, string>,
): ServiceProcess {
  const child = utilityProcess.fork(program, args, {
    serviceName: 'Slipway built-in service',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  })
  logProcess(log, 'built-in service', child)
  return child
}

/** Starts the store process from its program, `out/main/cache.cjs`. */
export function forkStore(program: string): ForkedStore {
  const serviceName = 'Slipway cache'
  const child = utilityProcess.fork(program, [], { serviceName, stdio: ['ignore', 'pipe', 'pipe'] })
  logProcess(log, 'cache', child)
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill: () => endProcess(child),
  }
}

/** The part of Electron's `UtilityProcess` that ends it. */
interface Endable {
  /** Undefined before the process runs and after its `exit` event. */
  pid?: number | undefined
  kill: () => unknown
}

/**
 * Ends a process at once: one that hangs in a system library can't end itself. Does nothing if it has already ended:
 * Electron keeps its `pid` until the `exit` event.
 */
function endProcess(child: Endable): void {
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

/** Starts the thread that reads large answers, from its program, `out/main/answers.cjs`. */
export function startReadingThread(program: string): Worker {
  // Twice what the largest answer within the parsing limit takes. Beyond it, only the thread ends.
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 768 } })
}
