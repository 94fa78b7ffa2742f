import { succeed, type Outcome } from '@contract'
import type { Span, Unseen, WrittenItem, WrittenPage } from '@contract/cache'
import { isNewer } from '../../../electron/cache/store/is-newer'
import type { FetchedPage } from '../../../electron/main/features/sync/reader'
import type { Copied, TestStore } from './test-store'

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

  readAhead = (_page: FetchedPage): Promise<void> => Promise.resolve()

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
    const older = !isNewer({ ...span, updated_at }, { ...stored.span, updated_at: stored.updated_at })
    if (!stored.gone && older) return 'older'
    Object.assign(stored, { version, updated_at, span, gone: false })
    return 'changed'
  }
}
