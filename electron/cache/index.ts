import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CacheCall, KeychainRequest, StateRequest } from './protocol'
import { callKeychain } from './keychain'

/**
 * The process that owns the disk and the keychain: one encrypted SQLite file for each environment's cache, `state.db`,
 * and the calls to the keychain. Only the main process talks to it, over the port that it was started with.
 *
 * The first list needs a key, so the keychain is served first: the rest of this process loads while it answers
 * (.github/decisions/0025-one-process-before-the-first-list.md).
 */
const port = process.parentPort

/** The program of the thread that reads pages ahead. */
const pageProgram = join(__dirname, 'pages.cjs')

function startPageThread(): Worker {
  // Some five times what the largest pages take that may wait at once. Beyond it, only the thread ends.
  return new Worker(pageProgram, { resourceLimits: { maxOldGenerationSizeMb: 512 } })
}

// SQLite creates files of its own: no other user of the machine may read any of them.
process.umask(0o077)

// Without this, a limit on the size of files would end the process. Now the write fails as on a full disk.
process.on('SIGXFSZ', () => undefined)

type Message = { id: number; keychain: KeychainRequest } | { id: number; state: StateRequest } | CacheCall

async function loadHandlers() {
  const [caches, state] = await Promise.all([import('./request-handler'), import('./state')])
  return {
    answer: caches.createRequestHandler({ startThread: startPageThread }).answer,
    answerState: state.createStateHandler(),
  }
}

let loaded: ReturnType<typeof loadHandlers> | null = null
const load = (): ReturnType<typeof loadHandlers> => (loaded ??= loadHandlers())

async function reply(message: Exclude<Message, { keychain: unknown }>): Promise<void> {
  const { answer, answerState } = await load()
  const answered = 'state' in message ? { state: answerState(message.state) } : await answer(message.request)
  port.postMessage({ id: message.id, ...answered })
}

port.on('message', ({ data }: { data: Message }) => {
  if ('keychain' in data) {
    void callKeychain(data.keychain).then((keychain) => port.postMessage({ id: data.id, keychain }))
    // A failure to load fails the first request, not the keychain.
    void load().catch(() => undefined)
    return
  }
  void reply(data)
})
