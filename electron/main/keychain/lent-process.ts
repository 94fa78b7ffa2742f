import { EventEmitter } from 'node:events'
import type { MessagePortMain } from 'electron'
import type { KeychainProcess } from './processes'

/** A keychain process that is a part of another process. */
export interface LentProcess extends KeychainProcess {
  /** Whether a call is under way. */
  isBusy: () => boolean
}

/**
 * A keychain process at the other end of a port. To kill it closes the port: the process around it lives on, and what hangs
 * in it holds one of its threads.
 */
export function lentProcess(port: MessagePortMain): LentProcess {
  const events = new EventEmitter()
  let underWay = 0
  port.on('message', ({ data }) => {
    underWay -= 1
    events.emit('message', data)
  })
  port.once('close', () => events.emit('exit'))
  port.start()
  return {
    postMessage(message) {
      underWay += 1
      port.postMessage(message)
    },
    on: (event, listener) => events.on(event, listener),
    once: (event, listener) => events.once(event, listener),
    off: (event, listener) => events.off(event, listener),
    kill() {
      port.close()
      events.emit('exit')
    },
    isBusy: () => underWay > 0,
  }
}
