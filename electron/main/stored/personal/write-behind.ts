import { type KeychainState, type Outcome, succeed } from '@contract'
import type { PersonalFile } from '@contract/ipc/personal-file'
import { throttle } from '../../async'
import type { Personal } from '.'

/** A change of the content. It may run more than once. */
type Change = (content: PersonalFile) => PersonalFile

/**
 * Changes to how Slipway was left, such as the last filters. They are written after a pause, several together. They
 * never cause a question or a message: a change that can't be written stays in effect until Slipway is closed, and is
 * written with the next one.
 */
export interface WriteBehind {
  /** Queues a change. It replaces an unwritten one with the same key. */
  queue: (key: string, change: Change) => void
  /** The content, with all changes. Failures: those of `Personal.content`. */
  content: () => Promise<Outcome<PersonalFile>>
  /** Writes now. Never rejects. */
  flush: () => Promise<void>
}

/** How many changes can wait, for example while the disk is full. Beyond that, the oldest are dropped. */
const maxWaiting = 100

/**
 * @param keychain the state of the keychain: after a refusal, it isn't asked again until this changes
 * @param pauseMs how long a change waits for others, in milliseconds
 */
export function createWriteBehind(
  personal: Pick<Personal, 'content' | 'change'>,
  keychain: () => KeychainState['state'],
  pauseMs = 2_000,
): WriteBehind {
  const waiting = new Map<string, Change>()
  const flushSoon = throttle(() => void flush(), pauseMs)
  /** The keychain's state when it refused: until that changes, it would ask and be refused again. */
  let refusedIn: KeychainState['state'] | null = null

  const mayWrite = (): boolean =>
    (keychain() === 'available' || keychain() === 'unknown') && keychain() !== refusedIn

  const applied = (content: PersonalFile, changes: Iterable<Change>): PersonalFile =>
    [...changes].reduce((made, change) => change(made), content)

  async function flush(): Promise<void> {
    flushSoon.cancel()
    if (waiting.size === 0 || !mayWrite()) return
    const changes = new Map(waiting)
    const currentKeychain = keychain()
    const written = await personal.change((content) =>
      succeed({ content: applied(content, changes.values()), value: null }),
    )
    if (!written.ok) {
      if (written.failure.code.startsWith('keychain-')) refusedIn = currentKeychain
      return
    }
    for (const [key, change] of changes) if (waiting.get(key) === change) waiting.delete(key)
  }

  return {
    queue(key, change) {
      // The latest comes last.
      waiting.delete(key)
      waiting.set(key, change)
      for (const earliest of waiting.keys()) {
        if (waiting.size <= maxWaiting) break
        waiting.delete(earliest)
      }
      flushSoon()
    },
    async content() {
      const content = await personal.content()
      return content.ok ? succeed(applied(content.value, waiting.values())) : content
    },
    flush,
  }
}
