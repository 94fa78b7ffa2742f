import { createRequire } from 'node:module'
import { answer, type Keytar } from './answer'

/** A port of Electron's, as far as it is needed. */
interface Port {
  on: (event: 'message', listener: (message: { data: unknown }) => void) => unknown
  postMessage: (message: unknown) => void
}

/**
 * Answers the calls to the keychain that arrive on a port.
 *
 * @param begun called with each call once it is under way. keytar works in a thread of its own, so there is time for
 *   more
 */
export function serveKeychain(port: Port, begun: () => void = () => undefined): void {
  port.on('message', ({ data }) => {
    void answer(data, loadKeytar).then((reply) => {
      if (reply) port.postMessage(reply)
    })
    begun()
  })
}

/** By require: Electron 25 can't import from app.asar, where a package has keytar. */
async function loadKeytar(): Promise<Keytar> {
  return createRequire(__filename)('keytar') as Keytar
}
