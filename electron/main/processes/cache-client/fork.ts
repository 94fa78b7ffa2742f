import { MessageChannelMain, utilityProcess } from 'electron'
import { lentProcess } from '../keychain/lent-process'
import { endProcess } from '../end-process'
import { log } from '../../log'
import { logProcess } from '../../log/process-output'
import type { KeychainProcess } from '../keychain/processes'
import type { ForkedStore } from '../store-process'

export interface ForkedCache extends ForkedStore {
  /** Has the process make calls to the keychain, too. */
  lendKeychain: () => KeychainProcess
}

/** Starts the cache process from its program, `out/main/cache.cjs`. */
export function forkCache(program: string): ForkedCache {
  const serviceName = 'Slipway cache'
  const child = utilityProcess.fork(program, [], { serviceName, stdio: ['ignore', 'pipe', 'pipe'] })
  logProcess(log, 'cache', child)
  return {
    lendKeychain() {
      const { port1, port2 } = new MessageChannelMain()
      child.postMessage(null, [port2])
      return lentProcess(port1, () => endProcess(child))
    },
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill: () => endProcess(child),
  }
}
