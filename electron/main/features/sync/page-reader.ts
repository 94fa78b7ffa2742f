import { fail, failure, type Outcome } from '@contract'
import type { WrittenPage } from '@contract/cache'
import { raceCancellation } from '../../async'
import { CacheReplaced, cancelled, type RetryPolicy, Stopped, untilItSucceeds } from './retry'
import type { FetchedPage, SyncAdapters } from './types'

const tooMuch = failure('too-large', "The service's list of deployments is too large.", {
  advice: 'The sync was stopped. What it cached stays; use the live list.',
})

const noAnswer = failure('timeout', "The service didn't answer in time.", { retryable: true })

interface Ahead {
  /** The fetched page, once the cache has read it ahead. */
  answer: Promise<Outcome<FetchedPage>>
  controller: AbortController
  /** The write that was begun before the page was read; null before. */
  written: Promise<Outcome<WrittenPage>> | null
}

/**
 * Fetches pages and writes them, in the order of the calls. It can prefetch the pages that are probably needed next, and
 * begins to write the next of several while the result of the one before it is on its way. A wrong guess only costs a
 * request, and perhaps a write of what the service does have.
 */
export class PageReader {
  private readonly ahead = new Map<number, Ahead>()
  /** Writes of pages that were dropped. */
  private dropped: Promise<Outcome<WrittenPage>>[] = []
  private writesAhead = false
  private readonly underWay = new Set<AbortController>()
  private readonly release: () => void
  private readonly opening: number
  private bytesLeft = 0

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly run: number,
    private readonly retryPolicy: RetryPolicy,
    private readonly signal: AbortSignal,
  ) {
    this.opening = adapters.store.opening()
    const abortAll = (): void => this.underWay.forEach((controller) => controller.abort())
    signal.addEventListener('abort', abortAll, { once: true })
    this.release = () => signal.removeEventListener('abort', abortAll)
  }

  /** How many bytes of answers may still arrive before the synchronisation ends. */
  allowBytes(bytes: number): void {
    this.bytesLeft = bytes
  }

  /** Drops prefetched pages. */
  close(): void {
    this.expect([], 0)
    this.release()
  }

  /** Drops prefetched pages. Gives those that were dropped since the last call, but written: nobody has seen them. */
  async takeDropped(): Promise<WrittenPage[]> {
    this.expect([], 0)
    const written = await Promise.all(this.dropped.splice(0))
    return written.flatMap((page) => (page.ok ? [page.value] : []))
  }

  /** Throws `CacheReplaced` if the cache is no longer the one that the reader began with. */
  throwIfReplaced(): void {
    if (this.adapters.store.opening() !== this.opening) throw new CacheReplaced()
  }

  /** Prefetches the pages at these offsets, and drops others that were prefetched. */
  expect(offsets: number[], limit: number): void {
    this.writesAhead = offsets.length > 1
    for (const [offset, { controller, written }] of this.ahead) {
      if (offsets.includes(offset)) continue
      controller.abort()
      this.ahead.delete(offset)
      if (written) this.dropped.push(written)
    }
    for (const offset of offsets) {
      if (this.ahead.has(offset)) continue
      const controller = new AbortController()
      const answer = this.fetchPage(offset, limit, controller).then(async (fetched) => {
        if (fetched.ok && this.ahead.get(offset) === page) await this.adapters.store.readAhead(fetched.value)
        return fetched
      })
      const page: Ahead = { controller, answer, written: null }
      this.ahead.set(offset, page)
    }
  }

  /** Fetches the page at an offset, repeatedly if needed, and writes it. */
  read(offset: number, limit: number): Promise<WrittenPage> {
    return this.withRetries(async () => {
      const ahead = this.ahead.get(offset)
      this.ahead.delete(offset)
      const fetched = await (ahead ? ahead.answer : this.fetchPage(offset, limit))
      return { fetched, written: ahead?.written ?? null }
    })
  }

  /** Fetches deployments by their identifiers and writes them. */
  readByIds(ids: string[]): Promise<WrittenPage> {
    return this.withRetries(async () => ({
      fetched: await this.request((signal) => this.adapters.source.fetchByIds(ids, signal)),
      written: null,
    }))
  }

  private async withRetries(
    ask: () => Promise<{ fetched: Outcome<FetchedPage>; written: Ahead['written'] }>,
  ): Promise<WrittenPage> {
    const attempt = async (): Promise<Outcome<WrittenPage>> => {
      const { fetched, written } = await ask()
      if (!fetched.ok) return fetched
      this.bytesLeft -= fetched.value.body.length
      if (this.bytesLeft < 0) throw new Stopped(tooMuch)
      const writing = written ?? this.adapters.store.writePage(fetched.value, this.run)
      void this.writeNext()
      return writing
    }
    const written = await untilItSucceeds(attempt, this.adapters, this.retryPolicy, this.signal)
    this.throwIfReplaced()
    return written
  }

  /** Begins to write the next of several expected pages, once it is fetched. */
  private async writeNext(): Promise<void> {
    const [next] = this.ahead
    if (!this.writesAhead || !next) return
    const [offset, page] = next
    const fetched = await page.answer
    if (!fetched.ok || page.written || this.ahead.get(offset) !== page) return
    page.written = this.adapters.store.writePage(fetched.value, this.run)
  }

  private fetchPage(
    offset: number,
    limit: number,
    controller?: AbortController,
  ): Promise<Outcome<FetchedPage>> {
    return this.request((signal) => this.adapters.source.fetchPage(offset, limit, signal), controller)
  }

  /** Makes a request, and cancels it if it stalls or `controller` aborts. Never rejects. */
  private async request(
    send: (signal: AbortSignal) => Promise<Outcome<FetchedPage>>,
    controller = new AbortController(),
  ): Promise<Outcome<FetchedPage>> {
    const { signal } = controller
    const waiting = new AbortController()
    const stalled = this.adapters.clock
      .sleep(this.retryPolicy.stallMs, waiting.signal)
      .then(() => fail(noAnswer))
    this.underWay.add(controller)
    try {
      const answered = Promise.race([send(signal), stalled])
      return (await raceCancellation(answered, signal)) ?? fail(cancelled)
    } finally {
      this.underWay.delete(controller)
      waiting.abort()
      controller.abort()
    }
  }
}
