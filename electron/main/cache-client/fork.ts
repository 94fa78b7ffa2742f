import { utilityProcess } from 'electron'
import { endProcess } from '../processes/end-process'
import { log } from '../log'
import { logProcess } from '../log/process-output'
import type { CacheProcess } from '.'

/**
 * Signals that end a process from outside: SIGINT, SIGKILL and SIGTERM, from a system without memory or from a user.
 */
const endingSignals = [2, 9, 15]

/** Starts the cache process from its program, `out/main/cache.cjs`. */
export function forkCache(program: string): CacheProcess {
  const serviceName = 'Slipway cache'
  const child = utilityProcess.fork(program, [], { serviceName, stdio: ['ignore', 'pipe', 'pipe'] })
  logProcess(log, 'cache', child)
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', (code) => listener(code !== 0 && !endingSignals.includes(code))),
    kill: () => endProcess(child),
  }
}
