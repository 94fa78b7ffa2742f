import { join } from 'node:path'
import type { KeychainRequest } from '@contract/app/processes'
import type { AnswerRequest, DiskCall } from './answer-request'
import { callKeychain } from './keychain'
import { startPageThread } from './read-ahead/thread'

/**
 * The process that owns the disk and the keychain: one encrypted SQLite file for each environment's cache, `state.db`,
 * and the calls to the keychain. Only the main process talks to it, over the port that it was started with.
 *
 * The first list needs a key, so the keychain is served first: the rest of this process loads while it answers
 * (.github/decisions/0025-one-process-before-the-first-list.md).
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

type Message = { id: number; keychain: KeychainRequest } | DiskCall

port.on('message', ({ data }: { data: Message }) => {
  if ('keychain' in data) {
    void callKeychain(data.keychain).then((keychain) => port.postMessage({ id: data.id, keychain }))
    // A failure to load fails the first request, not the keychain.
    void load().catch(() => undefined)
    return
  }
  void load()
    .then((answerRequest) => answerRequest(data))
    .then((reply) => port.postMessage(reply))
})
