import { fail, failure, type Outcome } from '@contract'
import type { WrittenPage } from '@contract/cache'
import { raceCancellation } from '../../async'
import { cancelled, stallMs, Stopped, untilItSucceeds } from './retry'
import type { FetchedPage, SyncAdapters } from './types'

const tooMuch = failure('too-large', "The service's list of deployments is too large.", {
  advice: 'The sync was stopped. What it cached stays; use the live list.',
})

const replaced = failure('cache', 'The cache had to be opened again.', {
  advice: 'Nothing at the service is affected. Sync again. If it keeps happening, see the log.',
  retryable: true,
})

const noAnswer = failure('timeout', "The service didn't answer in time.", { retryable: true })

interface Ahead {
  answer: Promise<Outcome<FetchedPage>>
  controller: AbortController
}

/**
 * Fetches pages and writes them, in the order of the calls. It can prefetch the pages that are probably needed next. A
 * wrong guess only costs a request.
 */
export class PageReader {
  private readonly ahead = new Map<number, Ahead>()
  private readonly underWay = new Set<AbortController>()
  private readonly release: () => void
  private readonly opening: number
  private bytesLeft = 0

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly run: number,
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

  /** Throws `Stopped` if the cache is no longer the one that the reader began with. */
  stopIfReplaced(): void {
    if (this.adapters.store.opening() !== this.opening) throw new Stopped(replaced)
  }

  /** Prefetches the pages at these offsets, and drops others that were prefetched. */
  expect(offsets: number[], limit: number): void {
    for (const [offset, { controller }] of this.ahead) {
      if (offsets.includes(offset)) continue
      controller.abort()
      this.ahead.delete(offset)
    }
    for (const offset of offsets) {
      if (this.ahead.has(offset)) continue
      const controller = new AbortController()
      const answer = this.fetchPage(offset, limit, controller)
      this.ahead.set(offset, { controller, answer })
      void answer.then((fetched) => {
        if (fetched.ok && this.ahead.get(offset)?.answer === answer)
          void this.adapters.store.readAhead(fetched.value)
      })
    }
  }

  /** Fetches the page at an offset, repeatedly if needed, and writes it. */
  read(offset: number, limit: number): Promise<WrittenPage> {
    return this.withRetries(() => {
      const ahead = this.ahead.get(offset)
      this.ahead.delete(offset)
      return ahead ? ahead.answer : this.fetchPage(offset, limit)
    })
  }

  /** Fetches deployments by their identifiers and writes them. */
  readByIds(ids: string[]): Promise<WrittenPage> {
    return this.withRetries(() => this.request((signal) => this.adapters.source.fetchByIds(ids, signal)))
  }

  private async withRetries(ask: () => Promise<Outcome<FetchedPage>>): Promise<WrittenPage> {
    const attempt = async (): Promise<Outcome<WrittenPage>> => {
      const fetched = await ask()
      this.bytesLeft -= fetched.ok ? fetched.value.body.length : 0
      if (this.bytesLeft < 0) throw new Stopped(tooMuch)
      return fetched.ok ? this.adapters.store.writePage(fetched.value, this.run) : fetched
    }
    const written = await untilItSucceeds(attempt, this.adapters, this.signal)
    this.stopIfReplaced()
    return written
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
    const stalled = this.adapters.clock.sleep(stallMs, waiting.signal).then(() => fail(noAnswer))
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
