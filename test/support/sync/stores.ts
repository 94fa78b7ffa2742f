import { type Outcome, fail, failure, succeed } from '@contract'
import type { CachedPage } from '@contract/cache'
import type { Span, Unseen, WrittenItem, WrittenPage } from '../../../electron/cache/protocol'
import { UnreadableAnswer, createStore } from '../../../electron/cache/store'
import { openMemory } from '../../../electron/cache/store/file'
import { isLater } from '../../../electron/cache/store/write'
import type { FetchedPage, SyncStore } from '../../../electron/main/features/sync/reader'

/** What a cache has of a deployment. */
export interface Copied {
  /** The model's version of its content, such as `v3`. */
  version: string
  gone: boolean
}

/** A cache whose content a test can read. */
export interface TestStore extends SyncStore {
  /** Everything it has, by identifier. Throws if a deployment is there twice. */
  contents: () => Map<string, Copied>
  /** Forgets what is only in memory, as a restart of its process does. */
  restart: () => void
  close: () => void
}

/** The application's own cache, with its database in memory. */
export class SqliteStore implements TestStore {
  private readonly memory = openMemory()
  private readonly db = this.memory.db
  private store = createStore(this.memory)

  opening = (): number => 1

  writePage({ body, span }: FetchedPage, run: number): Promise<Outcome<WrittenPage>> {
    return answer(() => this.store.writePage(body, span, run === 0 ? null : run))
  }

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

interface Stored {
  id: string
  version: string
  updated_at: string | null
  span: Span
  run: number
  gone: boolean
}

interface Resource {
  id: string
  name: string
  created_at: string
  updated_at: string
  source_revision_config: { repo_ref: string }
}

/** The cache in memory, with the rules of the real one. It is fast enough for thousands of runs. */
export class MemoryStore implements TestStore {
  private readonly stored = new Map<string, Stored>()
  private openings = 1

  /** Starts over empty, as after a damaged file. */
  beginAnew(): void {
    this.openings += 1
    this.stored.clear()
  }

  opening = (): number => this.openings

  async writePage({ body, span }: FetchedPage, run: number): Promise<Outcome<WrittenPage>> {
    const { resources, offset } = JSON.parse(new TextDecoder().decode(body)) as {
      resources: Resource[]
      offset: number
    }
    const items = resources.map((resource): WrittenItem => {
      const { id, name, created_at, updated_at } = resource
      const version = resource.source_revision_config.repo_ref
      return {
        id,
        name,
        created_at,
        updated_at,
        version,
        was: this.write(id, version, updated_at, span, run),
      }
    })
    return succeed({ items, received: items.length, unreadable: 0, returnedOffset: offset })
  }

  async unseen(run: number, after: number, limit: number): Promise<Outcome<Unseen>> {
    const all = [...this.stored.values()]
    const ids: string[] = []
    let index = after
    for (; index < all.length && ids.length < limit; index += 1) {
      const stored = all[index] as Stored
      if (stored.run !== run && !stored.gone) ids.push(stored.id)
    }
    return succeed({ ids, after: index < all.length ? index : null })
  }

  async markGone(ids: string[], span: Span): Promise<Outcome<{ marked: number }>> {
    const marked = ids
      .map((id) => this.stored.get(id))
      .filter((stored) => stored && !stored.gone && stored.span.sentAt <= span.sentAt)
    for (const stored of marked) if (stored) stored.gone = true
    return succeed({ marked: marked.length })
  }

  async bulk(_on: boolean): Promise<Outcome<null>> {
    return succeed(null)
  }

  contents(): Map<string, Copied> {
    return this.stored
  }

  restart(): void {}

  close(): void {}

  private write(
    id: string,
    version: string,
    updated_at: string,
    span: Span,
    run: number,
  ): WrittenItem['was'] {
    const stored = this.stored.get(id)
    if (!stored) {
      this.stored.set(id, { id, version, updated_at, span, run, gone: false })
      return 'new'
    }
    stored.run = run
    if (stored.version === version && !stored.gone) {
      stored.span = span
      return 'same'
    }
    const older = !isLater(span, stored.span)
    if (!stored.gone && older) return 'older'
    Object.assign(stored, { version, updated_at, span, gone: false })
    return 'changed'
  }
}
