import { answer, type Keytar } from './answer'

// The keychain process: it may block, hang or crash (keytar calls into the system's libraries), and is then
// killed and started again by the main process.
process.parentPort.on('message', ({ data }) => {
  void answer(data, loadKeytar).then((reply) => {
    if (reply) process.parentPort.postMessage(reply)
  })
})

/** A CommonJS module: what it exports is the default export, which its types do not tell. */
async function loadKeytar(): Promise<Keytar> {
  const module = (await import('keytar')) as unknown as { default: Keytar }
  return module.default
}
