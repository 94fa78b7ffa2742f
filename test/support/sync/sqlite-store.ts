import { fail, failure, type Outcome, succeed } from '@contract'
import type { CachedPage, Span, Unseen, WrittenPage } from '@contract/cache'
import { createStore, UnreadableAnswer } from '../../../electron/cache/store'
import { openMemory } from '../../../electron/cache/store/file'
import type { FetchedPage } from '../../../electron/main/features/sync/reader'
import type { Copied, TestStore } from './test-store'

/** The application's own cache, with its database in memory. */
export class SqliteStore implements TestStore {
  private readonly memory = openMemory()
  private readonly db = this.memory.db
  private store = createStore(this.memory)

  opening = (): number => 1

  writePage({ body, span }: FetchedPage, run: number): Promise<Outcome<WrittenPage>> {
    return answer(() => this.store.writePage(body, span, run === 0 ? null : run))
  }

  readAhead = (): Promise<void> => Promise.resolve()

  unseen(run: number, after: number, limit: number): Promise<Outcome<Unseen>> {
    return answer(() => this.store.unseen(run, after, limit))
  }

  markGone(ids: string[], span: Span): Promise<Outcome<{ marked: number }>> {
    return answer(() => ({ marked: this.store.markGone(ids, span) }))
  }

  bulk(on: boolean): Promise<Outcome<null>> {
    return answer(() => (this.store.bulk(on), null))
  }

  contents(): Map<string, Copied> {
    const contents = new Map<string, Copied>()
    const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
    for (let offset = 0, snapshot: string | null = null, total = 1; offset < total; offset += 200) {
      const page = JSON.parse(this.store.page({ query, offset, limit: 200, snapshot })) as CachedPage
      ;({ snapshot, total } = page)
      for (const { id, gone_at } of page.deployments) {
        if (contents.has(id)) throw new Error(`${id} is in the cache twice`)
        const { json } = this.store.deployment(id) ?? { json: '{}' }
        const { source_revision_config } = JSON.parse(json) as {
          source_revision_config: { repo_ref: string }
        }
        contents.set(id, { version: source_revision_config.repo_ref, gone: gone_at !== null })
      }
    }
    return contents
  }

  restart(): void {
    this.store = createStore(this.memory)
  }

  close(): void {
    this.store.close()
  }
}

async function answer<T>(work: () => T): Promise<Outcome<T>> {
  try {
    return succeed(work())
  } catch (error) {
    if (error instanceof UnreadableAnswer) return fail(failure('unreadable-answer', error.message))
    throw error
  }
}
