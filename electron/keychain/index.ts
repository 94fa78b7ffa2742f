import { createRequire } from 'node:module'
import { answer, type Keytar } from './answer'

// The keychain process: it may block, hang or crash (keytar calls into the system's libraries), and is then
// killed and started again by the main process.
process.parentPort.on('message', ({ data }) => {
  void answer(data, loadKeytar).then((reply) => {
    if (reply) process.parentPort.postMessage(reply)
  })
})

/** By require: Electron 25 cannot import from inside app.asar, where a package has it. */
async function loadKeytar(): Promise<Keytar> {
  return createRequire(__filename)('keytar') as Keytar
}
