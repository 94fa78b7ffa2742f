import type { Worker } from 'node:worker_threads'
import { createLazyThread } from '../../threads/lazy-thread'
import { largestReadAhead } from '../protocol'
import type { PageContent } from '../store/content'

/** How many pages may wait to be written. A synchronisation fetches fewer in advance; what it drops must not pile up. */
const waitAtMost = 8

/** How long an unused thread is kept before its memory is freed, in milliseconds. */
const restsAfterMs = 5_000

/** What the thread has made of a body: its content, or null if it isn't a page. Undefined if the thread ended. */
type Ahead = PageContent | null | undefined

/** Whether a body is all of its memory, so that it can be moved instead of copied. */
const isWhole = (body: Uint8Array): body is Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength

/**
 * Reads the bodies of pages in a thread while earlier pages are written: parsing, validation and checksums take a third
 * of the time of a synchronisation. Bodies are recognised by a digest, so that content is never taken for another's.
 *
 * @param startThread starts the thread with the first page; one that ends by itself isn't replaced, and pages are read
 *   when they are written from then on
 */
export function createReadAhead(startThread: () => Worker) {
  /** The oldest first. */
  const pages = new Map<string, { content: Promise<Ahead>; settle: (content: Ahead) => void }>()
  let hasFailed = false
  let rest: NodeJS.Timeout | undefined

  const thread = createLazyThread<{ digest: string; content: PageContent | null }>(
    startThread,
    ({ digest, content }) => pages.get(digest)?.settle(content),
    fail,
  )

  function end(): void {
    thread.end()
    for (const digest of pages.keys()) drop(digest)
  }

  function fail(): void {
    hasFailed = true
    end()
  }

  function drop(digest: string): void {
    pages.get(digest)?.settle(undefined)
    pages.delete(digest)
  }

  function begin(digest: string, body: Uint8Array): Promise<Ahead> {
    let settle: (content: Ahead) => void = () => undefined
    const content = new Promise<Ahead>((resolve) => (settle = resolve))
    pages.set(digest, { content, settle })
    for (const oldest of [...pages.keys()].slice(0, -waitAtMost)) drop(oldest)
    clearTimeout(rest)
    rest = setTimeout(end, restsAfterMs).unref()
    try {
      const worker = thread.running()
      // The thread's listeners would keep the process alive.
      worker.unref()
      worker.postMessage({ digest, body }, isWhole(body) ? [body.buffer] : [])
    } catch {
      // The machine has no room for another thread.
      fail()
    }
    return content
  }

  return {
    /**
     * Reads a body in the thread, and moves it there if it can, so that the caller's is empty. Resolves once it was read:
     * to false if it wasn't, because it is too large or the thread ended. Then, `take` gives nothing for it. Never
     * rejects.
     */
    async read(digest: string, body: Uint8Array): Promise<boolean> {
      if (hasFailed || body.byteLength > largestReadAhead) return false
      return (await (pages.get(digest)?.content ?? begin(digest, body))) !== undefined
    },
    /** Takes what was read of a body, once it is. Undefined if nothing was. Never rejects. */
    async take(digest: string): Promise<Ahead> {
      const content = await pages.get(digest)?.content
      pages.delete(digest)
      return content
    },
  }
}
