import { utilityProcess } from 'electron'
import { log } from '../../log'
import { logProcess } from '../../log/process-output'
import { endProcess } from '../end-process'
import type { ForkedStore } from '../store-process'

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
