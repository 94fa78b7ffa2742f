import type { Failure } from '@contract'
import type { CachedPage, CachedQuery, CachedSummary } from '@contract/cache'
import { computed, ref, shallowRef } from 'vue'
import { call } from '@/app/api'

/** How many rows are read at once. */
export const chunkSize = 100

/** How many chunks stay in memory; those furthest from the view go first. */
export const maxChunks = 20

/**
 * How many chunks are read at the same time. Dragging the scroll bar passes many, and only the last ones are needed.
 */
const maxAtOnce = 2

/** Rows that were read, by the index of each chunk's first row. */
type Chunks = ReadonlyMap<number, readonly CachedSummary[]>

const chunkOf = (index: number): number => Math.floor(index / chunkSize) * chunkSize

/**
 * Reads the cached list as its rows come into view, from the snapshot of the first page, so that they keep their
 * positions.
 *
 * @param query what to ask for now, and of which environment; null without one
 */
export function createCachedReader(query: () => { environmentId: string; query: CachedQuery } | null) {
  const page = shallowRef<CachedPage | null>(null)
  const chunks = shallowRef<Chunks>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const pending = new Set<number>()
  /** The rows to load: from `first` up to, not including, `last`. */
  let wanted = { first: 0, last: chunkSize }
  let requestNumber = 0

  async function read(offset: number, snapshot: string | null): Promise<void> {
    const asked = query()
    if (!asked) return
    const number = requestNumber
    pending.add(offset)
    const request = { query: asked.query, offset, limit: chunkSize, snapshot }
    const { environmentId } = asked
    const outcome = await call('cache.page', { environmentId, request })
    if (number !== requestNumber) return
    loading.value = false
    pending.delete(offset)
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    // In another snapshot the rows have other positions.
    const loaded = page.value?.snapshot === outcome.value.snapshot ? chunks.value : []
    page.value = outcome.value
    chunks.value = withoutFar(new Map([...loaded, [offset, outcome.value.deployments]]))
    readMissing()
  }

  function withoutFar(all: Map<number, readonly CachedSummary[]>): Chunks {
    const middle = (wanted.first + wanted.last - chunkSize) / 2
    const near = [...all.keys()].sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))
    for (const offset of near.slice(maxChunks)) all.delete(offset)
    return all
  }

  /** Reads wanted rows that are not loaded yet. */
  function readMissing(): void {
    if (!page.value || loading.value || failure.value) return
    const { snapshot, total } = page.value
    const end = Math.min(wanted.last, total)
    for (let offset = chunkOf(wanted.first); offset < end; offset += chunkSize) {
      if (pending.size >= maxAtOnce) return
      if (!pending.has(offset) && !chunks.value.has(offset)) void read(offset, snapshot)
    }
  }

  /** Reads the list again, from what is in view. */
  async function load(): Promise<void> {
    requestNumber += 1
    pending.clear()
    loading.value = true
    await read(chunkOf(wanted.first), null)
  }

  /** Begins at the first row with the next read. */
  function rewind(): void {
    wanted = { first: 0, last: chunkSize }
  }

  return {
    page,
    failure,
    loading,
    /** The rows of the list. A new object for every change. */
    rows: computed(() => {
      const loaded = chunks.value
      return {
        total: page.value?.total ?? 0,
        at: (index: number): CachedSummary | undefined => loaded.get(chunkOf(index))?.[index % chunkSize],
      }
    }),
    /** The rows that are loaded. */
    loaded: computed(() => [...chunks.value.values()].flat()),
    /** Sets the rows to load: from `first` up to, not including, `last`. */
    want(first: number, last: number): void {
      wanted = { first, last }
      readMissing()
    },
    /** Reads the list, unless it is there or being read. */
    open: async (): Promise<void> => {
      if (!page.value && !loading.value) await load()
    },
    refresh: load,
    /** Reads another list, from its start. */
    restart(): Promise<void> {
      rewind()
      return load()
    },
    /** Reads the rows that are loaded again. Each keeps its position, whether or not the filters still let it pass. */
    async readAgain(): Promise<void> {
      const snapshot = page.value?.snapshot
      for (const offset of [...chunks.value.keys()]) {
        if (snapshot === undefined || page.value?.snapshot !== snapshot) return
        await read(offset, snapshot)
      }
    },
    /** Forgets another environment's list. */
    reset(): void {
      requestNumber += 1
      pending.clear()
      rewind()
      page.value = null
      chunks.value = new Map()
      failure.value = null
      loading.value = false
    },
  }
}
