import type Database from 'libsql'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { cacheNotes, type CachedDetail, type CachedRepositoryList } from '@contract/cache'
import {
  answerWriteOps,
  type CacheFailureCode,
  type CacheRequest,
  type Opened,
  type SetAside,
  type StoreMessage,
} from './protocol'
import { parseAnswer, type Read, readDetail, readRepositories } from '@contract'
import {
  createStore,
  type Store,
  UnreadableAnswer,
  type StoredDeployment,
  type StoredRepositories,
} from './store'
import {
  isAtLimit,
  isDamage,
  isDiskFull,
  isUnnamed,
  openFile,
  openMemory,
  putAside,
  removeDatabase,
  removeFiles,
  requireRoom,
  setAsideAfter,
} from './store/file'

/** The cache of an environment, and how to open it again. */
interface OpenCache {
  store: Store
  db: Database.Database
  file: string | null
  key: string
  service: string
  /** Whether it was used since its memory was freed. */
  isAwake: boolean
}

type Opening = Extract<CacheRequest, { op: 'open' }>

/** The note that identifies the service and the account of the content. */
const serviceNote = 'service'

/** The notes with the operator's choices for the environment, which hold for any account. */
const chosenNotes = [cacheNotes.interval, cacheNotes.historyDays] as const

/**
 * After this long without a request, in milliseconds, all caches rest: they write their logs into their files, and free
 * their memory, up to 64 MB each. At most `atMost` have it at a time.
 */
const awake = { forMs: 30_000, atMost: 4 } as const

/** A reply without the number of its call. */
type Answer =
  | { ok: true; text: string }
  | { ok: false; code: CacheFailureCode; message: string; setAside: SetAside | null }

/** Answers the main process's requests about caches. */
export function serveCaches(): void {
  const { answer } = createRequestHandler()
  process.parentPort.on('message', ({ data }: StoreMessage) => {
    if (!('request' in data)) return
    process.parentPort.postMessage({ id: data.id, ...answer(data.request) })
  })
}

/** Answers requests about caches, none of which is open yet. The replies are JSON text. Never throws. */
export function createRequestHandler() {
  /** By environment, the least recently used first. */
  const caches = new Map<string, OpenCache>()
  /** Runs since the last request. */
  let unused: NodeJS.Timeout | null = null

  function answer(request: CacheRequest): Answer {
    try {
      return { ok: true, text: perform(request) }
    } catch (error) {
      return refuse(request.environmentId, error)
    }
  }

  function perform(request: CacheRequest): string {
    const { environmentId } = request
    if (request.op === 'open') return json(open(request))
    if (request.op === 'close') return json(close(environmentId))
    if (request.op === 'remove') {
      close(environmentId)
      removeFiles(request.file)
      return json(null)
    }
    const cache = caches.get(environmentId)
    if (!cache) throw new NotOpen()
    caches.delete(environmentId)
    caches.set(environmentId, cache)
    cache.isAwake = true
    rest([...caches.values()].slice(0, -awake.atMost))
    unused ??= setTimeout(() => rest(caches.values()), awake.forMs).unref()
    unused.refresh()
    if (request.op === 'page') return cache.store.page(request.request)
    if (request.op === 'overview') return cache.store.overview()
    if (cache.file !== null && answerWriteOps.includes(request.op)) requireRoom(dirname(cache.file))
    return json(runRequest(cache.store, request))
  }

  function open(request: Opening): Opened {
    const { file } = request
    try {
      return openOnce(request)
    } catch (error) {
      if (file === null || !(isDamage(error) || isUnnamed(error)) || !existsSync(file)) throw error
      // It is a cache: a new one takes its place.
      const setAside = setAsideAfter(error, file)
      return { ...openOnce(request), setAside }
    }
  }

  /** The content of another service is removed, but for the operator's choices. */
  function openOnce(request: Opening): Opened {
    const { environmentId, file, key, service } = request
    close(environmentId)
    const { db } = file === null ? openMemory() : openFile(file, key)
    try {
      const store = createStore({ db })
      const before = store.readNote(serviceNote)
      if (file !== null && before !== null && before !== service) {
        const chosen = chosenNotes.map((note) => [note, store.readNote(note)] as const)
        store.close()
        removeDatabase(file)
        const fresh = openOnce(request)
        for (const [note, value] of chosen) caches.get(environmentId)?.store.writeNote(note, value)
        return { ...fresh, otherService: true }
      }
      if (before === null) store.writeNote(serviceNote, service)
      caches.set(environmentId, { store, db, file, key, service, isAwake: true })
      return { setAside: null, otherService: false }
    } catch (error) {
      if (db.open) db.close()
      throw error
    }
  }

  function close(environmentId: string): null {
    const cache = caches.get(environmentId)
    caches.delete(environmentId)
    cache?.store.close()
    return null
  }

  function refuse(environmentId: string, error: unknown): Answer {
    const message = error instanceof Error ? error.message : String(error)
    const failed = (code: CacheFailureCode, setAside: SetAside | null = null): Answer => ({
      ok: false,
      code,
      message,
      setAside,
    })
    if (error instanceof NotOpen) return failed('not-open')
    if (error instanceof UnreadableAnswer) return failed('unreadable-answer')
    if (isDiskFull(error)) {
      const cache = caches.get(environmentId)
      return failed(cache && isAtLimit(cache.db) ? 'too-large' : 'disk-full')
    }
    if (!isDamage(error)) return failed('internal')
    return failed('damaged', replaceDamaged(environmentId))
  }

  /** Renames a file that SQLite reported as damaged, and opens a new one. */
  function replaceDamaged(environmentId: string): SetAside | null {
    const cache = caches.get(environmentId)
    caches.delete(environmentId)
    if (!cache?.file) return null
    const { store, file, key, service } = cache
    try {
      store.close()
    } catch {
      // The damage was reported before, and what wasn't committed counts as lost.
    }
    try {
      const setAside: SetAside = { reason: 'damaged', file: putAside(file) }
      open({ op: 'open', environmentId, file, key, service })
      return setAside
    } catch {
      return null
    }
  }

  return { answer }
}

function rest(caches: Iterable<OpenCache>): void {
  for (const cache of caches) {
    if (cache.isAwake) cache.store.rest()
    cache.isAwake = false
  }
}

class NotOpen extends Error {
  override message = 'the cache of this environment is not open'
}

const json = (value: unknown): string => JSON.stringify(value)

/** The requests that one function of a store answers. */
type StoreRequest = Exclude<CacheRequest, { op: 'open' | 'close' | 'remove' | 'page' | 'overview' }>

/** Has the store of an open cache answer a request. Gives the reply's value. */
function runRequest(store: Store, request: StoreRequest): unknown {
  const { environmentId } = request
  switch (request.op) {
    case 'write-page':
      return store.writePage(request.body, request.span, request.run, request.by)
    case 'see-page':
      return store.seePage(request.digest, request.span, request.run)
    case 'write-deployment':
      return nothing(store.writeDeployment(request.body, request.span))
    case 'write-repositories':
      return nothing(store.writeRepositories(request.integrationId, request.body, request.span))
    case 'deployment':
      return readStoredDeployment(environmentId, store.deployment(request.id), request.missingAt)
    case 'repositories':
      return readStoredRepositories(
        environmentId,
        request.integrationId,
        store.repositories(request.integrationId),
      )
    case 'state':
      return store.state()
    case 'statuses':
      return store.statuses()
    case 'history':
      return { environmentId, ...store.history(request.request) }
    case 'changes':
      return { environmentId, ...store.changes(request.request) }
    case 'status-history':
      return { environmentId, ...store.statusHistory(request.request) }
    case 'earlier': {
      const { id, point } = request.request
      return readStoredDeployment(environmentId, store.earlier(id, point))
    }
    case 'history-state':
      return store.historyState()
    case 'keep-history':
      store.keepHistory(request.days)
      return store.historyState()
    case 'agents':
      return store.agents(request)
    case 'assigned-agents':
      return store.assignedAgents(request)
    case 'agent-cells':
      return store.agentCells(request.places)
    case 'bulk':
      return nothing(store.bulk(request.on))
    case 'unseen':
      return store.unseen(request.run, request.after, request.limit)
    case 'mark-gone':
      return { marked: store.markGone(request.ids, request.span) }
    case 'synchronised':
      return nothing(store.synchronised(request.span))
    case 'clean-up':
      return { removed: store.cleanUp(request.before) }
    case 'read-note':
      return store.readNote(request.key)
    case 'write-note':
      return nothing(store.writeNote(request.key, request.value))
  }
}

function nothing(_value: void): null {
  return null
}

/**
 * A stored deployment in the page's form; null if there is none, or it can't be read.
 *
 * @param missingAt when the service answered that it no longer has it (ISO 8601); otherwise null
 */
export function readStoredDeployment(
  environmentId: string,
  stored: StoredDeployment | null,
  missingAt?: string,
): CachedDetail | null {
  const read = stored && readJson(stored.json, readDetail)
  if (!read) return null
  const fromCache = { goneAt: stored.goneAt ?? missingAt ?? null, missingAt }
  return { environmentId, ...read, fetchedAt: stored.fetchedAt, fromCache }
}

/** A stored list of repositories as the page gets it; null if there is none, or it can't be read. */
function readStoredRepositories(
  environmentId: string,
  integrationId: string,
  stored: StoredRepositories | null,
): CachedRepositoryList | null {
  const read = stored && readJson(stored.json, readRepositories)
  return read && { environmentId, integrationId, ...read, fetchedAt: stored.fetchedAt, fromCache: true }
}

function readJson<T>(json: string, readAs: (answer: unknown) => Read<T>): T | null {
  const parsed = parseAnswer(Buffer.from(json))
  const read = parsed.ok ? readAs(parsed.value) : null
  return read?.ok ? read.value : null
}
