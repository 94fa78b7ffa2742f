import { createRequire } from 'node:module'
import { answer, type Keytar } from './answer'

// The keychain process. keytar calls into the system's libraries, so it may block, hang or crash. The main process then
// kills it and starts another one.
process.parentPort.on('message', ({ data }) => {
  void answer(data, loadKeytar).then((reply) => {
    if (reply) process.parentPort.postMessage(reply)
  })
})

/** By require: Electron 25 can't import from app.asar, which contains keytar in a package. */
async function loadKeytar(): Promise<Keytar> {
  return createRequire(__filename)('keytar') as Keytar
}
