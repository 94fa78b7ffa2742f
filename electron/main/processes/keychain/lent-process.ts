import { EventEmitter } from 'node:events'
import type { MessagePortMain } from 'electron'
import type { KeychainRequest } from '@contract/app/keychain'
import type { KeychainProcess } from './processes'

/** A keychain process that is a part of another process. */
export interface LentProcess extends KeychainProcess {
  /** Whether a call is under way, or was given up and may still hang. */
  isBusy: () => boolean
}

/** Whether a message asks the keychain to change something. */
const isWrite = (message: unknown): boolean =>
  ['set', 'delete'].includes((message as Partial<KeychainRequest>).call ?? '')

/**
 * A keychain process at the other end of a port. To kill it closes the port: the process around it lives on, and what
 * hangs in it holds one of its threads. A write that hangs must not take effect after it was given up, so it ends the
 * process around it.
 *
 * @param endAround ends the process around it
 */
export function lentProcess(port: MessagePortMain, endAround: () => void): LentProcess {
  const events = new EventEmitter()
  let underWay = 0
  let isWriting = false
  port.on('message', ({ data }) => {
    underWay -= 1
    isWriting = false
    events.emit('message', data)
  })
  port.once('close', () => events.emit('exit'))
  port.start()
  return {
    postMessage(message) {
      underWay += 1
      isWriting = isWrite(message)
      port.postMessage(message)
    },
    on: (event, listener) => events.on(event, listener),
    once: (event, listener) => events.once(event, listener),
    off: (event, listener) => events.off(event, listener),
    kill() {
      port.close()
      if (isWriting) endAround()
      events.emit('exit')
    },
    isBusy: () => underWay > 0,
  }
}
