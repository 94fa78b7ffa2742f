import { answer } from './answer'

// The keychain process: it may block, hang or crash (keytar calls into the system's libraries), and is then
// killed and started again by the main process.
process.parentPort.on('message', ({ data }) => {
  void answer(data, () => import('keytar')).then((reply) => {
    if (reply) process.parentPort.postMessage(reply)
  })
})
