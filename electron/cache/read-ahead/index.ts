import type { Worker } from 'node:worker_threads'
import { createLazyThread } from '../../threads/lazy-thread'
import { largestReadAhead } from '@contract/cache'
import type { PageContent } from '../store/content'

/** How many pages may wait to be written. A synchronisation fetches fewer in advance; what it drops must not pile up. */
const waitAtMost = 8

/** How long an unused thread is kept before its memory is freed, in milliseconds. */
const restsAfterMs = 5_000

/** What the thread has made of a body: its content, or null if it isn't a page. Undefined if the thread ended. */
type Ahead = PageContent | null | undefined

/**
 * Reads the bodies of pages in a thread while earlier pages are written: parsing, validation and checksums take a third
 * of the time of a synchronisation. Bodies are recognised by a digest, so that content is never taken for another's.
 */
export interface ReadAhead {
  /**
   * Reads a body in the thread, and moves it there if it can, so that the caller's is empty. Resolves once it was read:
   * to false if it wasn't, because it is too large or the thread ended. Then, `take` gives nothing for it. Never rejects.
   */
  read: (digest: string, body: Uint8Array) => Promise<boolean>
  /** Takes what was read of a body, once it is. Undefined if nothing was. Never rejects. */
  take: (digest: string) => Promise<Ahead>
}

/** Whether a body is all of its memory, so that it can be moved instead of copied. */
const isWhole = (body: Uint8Array): body is Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength

/**
 * `startThread` starts the thread with the first page. A thread that ends by itself isn't replaced: pages are read when
 * they are written from then on.
 */
export function createReadAhead(startThread: () => Worker): ReadAhead {
  /** The oldest first. */
  const pages = new Map<string, Promise<Ahead>>()
  /** What the thread is reading, or will. */
  const reading = new Map<string, { content: Promise<Ahead>; settle: (content: Ahead) => void }>()
  let hasFailed = false
  let rest: NodeJS.Timeout | undefined

  const thread = createLazyThread<{ digest: string; content: PageContent | null }>(
    startThread,
    ({ digest, content }) => {
      reading.get(digest)?.settle(content)
      reading.delete(digest)
    },
    fail,
  )

  function end(): void {
    thread.end()
    for (const { settle } of reading.values()) settle(undefined)
    reading.clear()
  }

  function fail(): void {
    hasFailed = true
    end()
  }

  function restLater(): void {
    clearTimeout(rest)
    rest = setTimeout(() => {
      pages.clear()
      end()
    }, restsAfterMs)
    rest.unref()
  }

  function begin(digest: string, body: Uint8Array): Promise<Ahead> {
    const content = reading.get(digest)?.content ?? send(digest, body)
    pages.set(digest, content)
    for (const oldest of pages.keys()) {
      if (pages.size <= waitAtMost) break
      pages.delete(oldest)
    }
    restLater()
    return content
  }

  function send(digest: string, body: Uint8Array): Promise<Ahead> {
    try {
      const worker = thread.running()
      // The thread's listeners would keep the process alive.
      worker.unref()
      worker.postMessage({ digest, body }, isWhole(body) ? [body.buffer] : [])
    } catch {
      // The machine has no room for another thread.
      fail()
      return Promise.resolve(undefined)
    }
    let settle: (content: Ahead) => void = () => undefined
    const content = new Promise<Ahead>((resolve) => (settle = resolve))
    reading.set(digest, { content, settle })
    return content
  }

  return {
    async read(digest, body) {
      if (hasFailed || body.byteLength > largestReadAhead) return false
      return (await (pages.get(digest) ?? begin(digest, body))) !== undefined
    },
    async take(digest) {
      const content = pages.get(digest)
      pages.delete(digest)
      return content
    },
  }
}
