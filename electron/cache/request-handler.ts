import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type Database from 'libsql'
import {
  answerWriteOps,
  type CacheCall,
  type CacheFailureCode,
  cacheNotes,
  type CacheReply,
  type CacheRequest,
  largestCache,
  type Opened,
  type SetAside,
  unorderedOps,
} from '@contract/cache'
import { createReadAhead } from './read-ahead'
import { runRequest } from './run-request'
import { createStore, type Store, UnreadableAnswer } from './store'
import {
  isAtLimit,
  isDamage,
  isDiskFull,
  isUnnamed,
  NoMemory,
  openFile,
  openMemory,
  putAside,
  removeDatabase,
  removeFiles,
  requireMemory,
  requireRoom,
  setAsideAfter,
  sizeOf,
} from './store/file'
import type { StateReply, StateRequest } from '@contract/app/processes'
import { createStateHandler } from './state'

/** The cache of an environment, and how to open it again. */
interface OpenCache {
  store: Store
  db: Database.Database
  /** How many rows were changed so far. Those of a late commit count when they are changed. */
  changes: () => number
  file: string | null
  key: string
  service: string
  /** When it was last used, in milliseconds; null while it is closed to free its memory. */
  usedAt: number | null
}

type Opening = Extract<CacheRequest, { op: 'open' }>
type ReadAheadRequest = Extract<CacheRequest, { op: 'read-ahead' }>

/**
 * The note that identifies the service and the account of the content.
 */
const serviceNote = 'service'

/** The notes with the operator's choices for the environment, which hold for any account. */
const chosenNotes = [cacheNotes.interval, cacheNotes.historyDays] as const

/** Those notes with their values; null if nothing was chosen. */
type Chosen = [key: string, value: string | null][]

/**
 * A cache without requests for this long, in milliseconds, frees its memory: up to 64 MB each. At most `butFor` caches
 * keep theirs.
 */
const rests = { afterMs: 30_000, butFor: 4 } as const

/** The open caches, by environment. */
export interface RequestHandler {
  /** Answers a request. The reply is JSON text. Never throws. */
  answer: (request: CacheRequest) => Promise<Answer>
}

/** A reply without the number of its call. */
export type Answer =
  | { ok: true; text: string; written?: true }
  | { ok: false; code: CacheFailureCode; message: string; setAside: SetAside | null }

interface HandlerOptions {
  /** Gives milliseconds since 1970. */
  now?: () => number
  /** How many bytes all caches in memory together may take. */
  maxInMemory?: number
  /** Starts the thread that reads pages ahead. Without it, each is read when it is written. */
  startThread?: () => Worker
}

/** Creates the handler, without an open cache. */
export function createRequestHandler({
  now = Date.now,
  maxInMemory = largestCache.gigabytesInMemory * 1024 ** 3,
  startThread,
}: HandlerOptions = {}): RequestHandler {
  const ahead = startThread ? createReadAhead(startThread) : null
  /** The least recently used first. */
  const caches = new Map<string, OpenCache>()
  /** Runs since the last request. */
  let unused: NodeJS.Timeout | null = null

  /** Settles when everything before it is answered. */
  let queue: Promise<unknown> = Promise.resolve()

  function answer(request: CacheRequest): Promise<Answer> {
    if (unorderedOps.includes(request.op)) return answerNow(request)
    const answered = queue.then(() => answerNow(request))
    queue = answered
    return answered
  }

  async function answerNow(request: CacheRequest): Promise<Answer> {
    try {
      const before = answerWriteOps.includes(request.op) ? caches.get(request.environmentId) : undefined
      const changesBefore = before?.changes()
      const text = await perform(request)
      const cache = caches.get(request.environmentId)
      const isWritten =
        cache && cache === before && !cache.db.inTransaction && cache.changes() !== changesBefore
      return { ok: true, text, ...(isWritten ? { written: true } : {}) }
    } catch (error) {
      return refuse(request.environmentId, error)
    }
  }

  async function perform(request: CacheRequest): Promise<string> {
    if (request.op === 'open') return json(open(request))
    if (request.op === 'close') return json(close(request.environmentId))
    if (request.op === 'remove') {
      close(request.environmentId)
      removeFiles(request.file)
      return json(null)
    }
    if (request.op === 'read-ahead') return json({ read: await readAhead(request) })
    const content = request.op === 'write-read-page' ? await ahead?.take(request.digest) : undefined
    const cache = caches.get(request.environmentId)
    if (!cache) throw new NotOpen()
    cache.usedAt = now()
    caches.delete(request.environmentId)
    caches.set(request.environmentId, cache)
    letOthersRest(cache.usedAt)
    restIfUnused()
    if (request.op === 'page') return cache.store.page(request.request)
    if (request.op === 'overview') return cache.store.overview()
    if (answerWriteOps.includes(request.op)) {
      if (cache.file !== null) requireRoom(dirname(cache.file))
      else requireMemory(sizesInMemory(), maxInMemory)
    }
    if (request.op === 'write-read-page') {
      const { digest, span, run } = request
      return json(cache.store.writeReadPage(digest, content, span, run))
    }
    return json(runRequest(cache.store, request))
  }

  async function readAhead({ environmentId, digest, body }: ReadAheadRequest): Promise<boolean> {
    return caches.has(environmentId) && ahead ? ahead.read(digest, body) : false
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

  function openOnce(request: Opening): Opened {
    const { environmentId, file, key, service } = request
    close(environmentId)
    const opened = file === null ? openMemory() : openFile(file, key)
    const store = storeOn(opened)
    let otherService: Chosen | null
    try {
      otherService = takeOver(store, file, service)
    } catch (error) {
      closeDamaged(store)
      throw error
    }
    if (otherService && file !== null) {
      store.close()
      removeDatabase(file)
      const fresh = openOnce(request)
      for (const [key, value] of otherService) caches.get(environmentId)?.store.writeNote(key, value)
      return { ...fresh, otherService: true }
    }
    const { db } = opened
    caches.set(environmentId, { store, db, changes: changesOf(db), file, key, service, usedAt: now() })
    return { setAside: null, otherService: false }
  }

  /**
   * Notes the service of an empty cache. If the content belongs to another service, returns the notes that stay; null
   * if it belongs to this one.
   */
  function takeOver(store: Store, file: string | null, service: string): Chosen | null {
    const before = store.readNote(serviceNote)
    if (before === null) store.writeNote(serviceNote, service)
    if (before === null || before === service || file === null) return null
    return chosenNotes.map((key) => [key, store.readNote(key)])
  }

  const sizesInMemory = (): number[] =>
    [...caches.values()].filter(({ file }) => file === null).map(({ db }) => sizeOf(db))

  function letOthersRest(at: number): void {
    let awake = 0
    for (const cache of [...caches.values()].reverse()) {
      if (cache.usedAt === null) continue
      awake += 1
      if (awake <= rests.butFor && at - cache.usedAt < rests.afterMs) continue
      rest(cache)
    }
  }

  function restIfUnused(): void {
    unused ??= setTimeout(() => {
      for (const cache of caches.values()) if (cache.usedAt !== null) rest(cache)
    }, rests.afterMs).unref()
    unused.refresh()
  }

  /** Creates the store. If that fails, closes the database, so that it can be opened again. */
  function storeOn(opened: { db: Database.Database }): Store {
    try {
      return createStore(opened)
    } catch (error) {
      opened.db.close()
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
    if (error instanceof NoMemory) return failed('too-large')
    if (isDiskFull(error)) {
      const cache = caches.get(environmentId)
      return failed(cache && isAtLimit(cache.db) ? 'too-large' : 'disk-full')
    }
    if (!isDamage(error)) return failed('internal')
    return afterDamage(environmentId, failed)
  }

  /** Renames a file that SQLite reported as damaged, and opens a new one. */
  function afterDamage(
    environmentId: string,
    failed: (code: CacheFailureCode, setAside?: SetAside) => Answer,
  ): Answer {
    const cache = caches.get(environmentId)
    caches.delete(environmentId)
    if (!cache?.file) return failed('damaged')
    closeDamaged(cache.store)
    const { file, key, service } = cache
    try {
      const setAside: SetAside | null = existsSync(file) ? { reason: 'damaged', file: putAside(file) } : null
      const opened = open({ op: 'open', environmentId, file, key, service })
      return failed('damaged', setAside ?? opened.setAside ?? undefined)
    } catch {
      return failed('damaged')
    }
  }

  return { answer }
}

/** A damaged file may fail to close. */
function closeDamaged(store: Store): void {
  try {
    store.close()
  } catch {
    // The damage was reported before, and what wasn't committed counts as lost.
  }
}

function changesOf(db: Database.Database): OpenCache['changes'] {
  const select = db.prepare('select total_changes() as changes')
  return () => (select.get() as { changes: number }).changes
}

function rest(cache: OpenCache): void {
  cache.usedAt = null
  cache.store.rest()
}

class NotOpen extends Error {
  override message = 'the cache of this environment is not open'
}

const json = (value: unknown): string => JSON.stringify(value)

/** The reply to the call with a number. */
export function reply(id: number, answer: Answer): CacheReply {
  return { id, ...answer }
}

/** A message of the main process about a cache or `state.db`. */
export type DiskCall = CacheCall | { id: number; state: StateRequest }

/** Answers a message of the main process. */
export type AnswerRequest = (message: DiskCall) => Promise<CacheReply | { id: number; state: StateReply }>

/** `startThread` starts the thread that reads pages ahead. */
export function createAnswerRequest(startThread: () => Worker): AnswerRequest {
  const handler = createRequestHandler({ startThread })
  const answerState = createStateHandler()
  return async (message) =>
    'state' in message
      ? { id: message.id, state: answerState(message.state) }
      : reply(message.id, await handler.answer(message.request))
}
