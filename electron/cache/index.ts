import { join } from 'node:path'
import { serveKeychain } from '../keychain/serve'
import type { AnswerRequest } from './answer-request'
import { startPageThread } from './read-ahead/thread'

/**
 * The cache process: one encrypted SQLite file for each environment. Only the main process talks to it, over the port
 * that it was started with. Requests are answered in order.
 *
 * During a start it also makes the calls to the keychain, on a port that comes with a message: the first list needs a
 * key from there, and another process would take as long to start as this one. The rest of this process loads while the
 * keychain answers (.github/decisions/0025-one-process-before-the-first-list.md).
 */
const port = process.parentPort

let loaded: Promise<AnswerRequest> | null = null
const load = (): Promise<AnswerRequest> =>
  (loaded ??= import('./answer-request').then(({ createAnswerRequest }) =>
    createAnswerRequest(() => startPageThread(join(__dirname, 'pages.cjs'))),
  ))

// SQLite creates files of its own: no other user of the machine may read any of them.
process.umask(0o077)

// Without this, a limit on the size of files would end the process. Now the write fails as on a full disk.
process.on('SIGXFSZ', () => undefined)

port.on('message', ({ data, ports: [keychain] }) => {
  if (keychain) {
    // A failure to load fails the first request, not the keychain.
    serveKeychain(keychain, () => void load().catch(() => undefined))
    keychain.start()
    return
  }
  void load()
    .then((answerRequest) => answerRequest(data))
    .then((reply) => port.postMessage(reply))
})
