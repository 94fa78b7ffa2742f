import { utilityProcess } from 'electron'
import { endProcess } from '../end-process'
import { log } from '../../log'
import { logProcess } from '../../log/process-output'
import type { KeychainProcess } from './processes'

/** Starts the keychain process from its program, `out/main/keychain.cjs`. */
export function forkKeychain(program: string): KeychainProcess {
  const serviceName = 'Slipway keychain'
  const child = utilityProcess.fork(program, [], { serviceName, stdio: ['ignore', 'pipe', 'pipe'] })
  logProcess(log, 'keychain', child)
  return {
    postMessage: (message) => child.postMessage(message),
    on: (event, listener) => child.on(event, listener),
    once: (event, listener) => child.once(event, listener),
    off: (event, listener) => child.off(event as 'message', listener),
    kill: () => endProcess(child),
  }
}
