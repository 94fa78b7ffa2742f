import { MessageChannelMain, utilityProcess } from 'electron'
import { type LentProcess, lentProcess } from '../keychain/lent-process'
import { endProcess } from '../end-process'
import { log } from '../../log'
import { logProcess } from '../../log/process-output'
import type { KeychainProcess } from '../keychain/processes'
import type { CacheProcess } from '.'

/**
 * Signals that end a process from outside: SIGINT, SIGKILL and SIGTERM, from a system without memory or from a
 * operator.
 */
const endingSignals = [2, 9, 15]

export interface ForkedCache extends CacheProcess {
  /** Has the process make calls to the keychain, too. */
  lendKeychain: () => KeychainProcess
}

/** Starts the cache process from its program, `out/main/cache.cjs`. */
export function forkCache(program: string): ForkedCache {
  const serviceName = 'Slipway cache'
  const child = utilityProcess.fork(program, [], { serviceName, stdio: ['ignore', 'pipe', 'pipe'] })
  logProcess(log, 'cache', child)
  let lent: LentProcess | null = null
  // No cache is to blame for a process that the keychain may have ended.
  const isCrash = (code: number): boolean =>
    code !== 0 && !endingSignals.includes(code) && lent?.isBusy() !== true
  return {
    lendKeychain() {
      const { port1, port2 } = new MessageChannelMain()
      child.postMessage(null, [port2])
      return (lent = lentProcess(port1, () => endProcess(child)))
    },
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', (code) => listener(isCrash(code))),
    kill: () => endProcess(child),
  }
}
