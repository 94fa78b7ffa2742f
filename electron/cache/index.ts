import { serveKeychain } from './keychain'
import type { StoreMessage } from './protocol'

/**
 * The process that owns the disk and the keychain: one encrypted SQLite file for each environment's cache, `state.db`,
 * and the calls to the keychain. Only the main process talks to it, over the port that it was started with. Each part
 * takes its own messages from it.
 *
 * The first list needs a key, so the keychain is served first: the rest of this process loads while it answers
 * (.github/decisions/0025-one-process-before-the-first-list.md).
 */
const port = process.parentPort

// SQLite creates files of its own: no other user of the machine may read any of them.
process.umask(0o077)

// Without this, a limit on the size of files would end the process. Now the write fails as on a full disk.
process.on('SIGXFSZ', () => undefined)

let loading: Promise<void> | null = null
/** Messages that came before what answers them was loaded. */
const early: StoreMessage[] = []

async function load(): Promise<void> {
  const [{ serveCaches }, { serveState }] = await Promise.all([
    import('./request-handler'),
    import('./state'),
  ])
  port.off('message', hold)
  serveCaches()
  serveState()
  for (const message of early) port.emit('message', message)
}

function hold(message: StoreMessage): void {
  loading ??= load()
  if ('keychain' in message.data) return void loading.catch(() => undefined)
  early.push(message)
  // A failure to load ends the process with the first request, not with the keychain's.
  void loading.then()
}

serveKeychain()
port.on('message', hold)
