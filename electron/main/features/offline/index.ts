import { type Connection, deploymentsPath, fail, failure, succeed } from '@contract'
import type { SetAside, SyncState } from '@contract/cache'
import type { BrowserWindow } from 'electron'
import { type AllCaches, createAllCaches } from '../all-caches'
import type { Deployments } from '../deployments'
import { existsIn } from '../../environments/lookups'
import { builtInMode } from '../../environments/model/built-in'
import type { Environments } from '../../environments/model/types'
import type { HttpClient } from '../../http/types'
import type { Journal } from '../../stored/journal'
import type { FileKeys } from '../../processes/keychain/file-keys'
import type { ServiceClient } from '../../processes/cache-client/types'
import type { Repositories } from '../repositories'
import { createSynchronisation, type Synchronisation } from '../sync'
import { isShown } from '../../window/is-shown'
import { ReconnectWatch } from './reconnect'
import {
  type Cache,
  type CacheNotice,
  type CacheOptions,
  createCache,
  tooLargeText,
} from '../../processes/cache-client'
import { type Served, withFallback } from './fallback'
import type { StoreProcess } from '../../processes/store-process'
import { createCacheKeys } from '../../processes/cache-client/keys'
import { writeThrough } from './write-through'

export interface OfflineOptions {
  process: StoreProcess
  /** The folder of the caches. */
  folder: string
  keys: FileKeys
  environments: Environments
  http: HttpClient
  /** Whether an environment's service can be called in the background (`Connections.mayAnswer`). */
  mayAnswer: (environmentId: string) => boolean
  window: () => BrowserWindow | null
  journal: Journal
  changed: (state: SyncState) => void
  /** Called with the file of a cache that was set aside and isn't the current environment's, which tells it itself. */
  setAside: (file: string) => void
  report: (error: unknown) => void
}

/** All functions of the caches: writing, answering and synchronising. */
export interface Offline {
  cache: Cache
  /** Waits for `endStart`. */
  allCaches: AllCaches
  synchronisation: Synchronisation
  /** The client whose answers are cached. */
  http: ServiceClient
  /** Parts that answer from the cache if the service can't be reached. */
  serve: (parts: { deployments: Deployments; repositories: Repositories }) => Served
  noteConnection: (connection: Connection) => void
  /** Call it when another environment may be current. */
  noteEnvironment: (connection: Connection) => void
  /** Call it when the keychain answers again. Caches that are in memory because of it move to the disk. */
  noteKeychain: () => Promise<void>
  /**
   * Opens the cache of the current environment, which the first list comes from, and starts the background work. Call
   * it after the first paint. Resolves when the cache is open, or can't be opened.
   */
  start: () => Promise<void>
  /** Call it when the start no longer needs the keychain: from then on, caches of all environments are read. */
  endStart: () => void
  close: () => Promise<void>
}

/** How often to check whether a synchronisation is due, in milliseconds, and when first, after the first list. */
const tickEveryMs = 20_000
const firstTickMs = 5_000

export function createOffline(options: OfflineOptions): Offline {
  const { environments, http, mayAnswer, window, changed, report } = options
  const cache = createCache({
    process: options.process,
    keys: createCacheKeys(options.keys),
    exists: existsIn(environments),
    target: (id, mayAsk) => targetOf(environments, id, mayAsk),
    folder: options.folder,
    notice(notice) {
      if (notice.kind === 'other-service') synchronisation.renew(notice.environmentId)
      if (notice.kind === 'on-disk-again') void synchronisation.reread(notice.environmentId).catch(report)
      const isElsewhere = notice.environmentId !== environments.state().currentEnvironmentId
      if (notice.kind === 'set-aside' && isElsewhere) options.setAside(notice.setAside.file)
      // Another problem isn't over once the cache is written again.
      const kind = notice.kind === 'unwritten' || notice.kind === 'written-again' ? 'unwritten' : 'other'
      synchronisation.setProblem(notice.environmentId, kind, describeNotice(notice))
    },
  })
  const synchronisation: Synchronisation = createSynchronisation({
    environments,
    http,
    cache,
    journal: options.journal,
    changed,
    // A built-in service is on this machine, whether or not it was called before.
    mayWork: (environmentId) =>
      isShown(window()) && (mayAnswer(environmentId) || builtInMode(environmentId) !== null),
    report,
  })
  const watch = new ReconnectWatch(async (environmentId) => {
    if (environmentId !== environments.state().currentEnvironmentId) return
    const ready = await environments.ready(environmentId)
    if (!ready.ok) return
    const query = new URLSearchParams({ limit: '1' })
    await http.request({ target: ready.value.target, method: 'GET', path: deploymentsPath, query })
  })
  let timer: NodeJS.Timeout | null = null
  let firstTimer: NodeJS.Timeout | undefined
  let endStart = (): void => undefined
  const started = new Promise<void>((resolve) => (endStart = resolve))

  return {
    cache,
    allCaches: createAllCaches(cache, environments, started),
    synchronisation,
    http: writeThrough(http, cache),
    serve: (parts) => withFallback(parts, cache),
    noteConnection: (connection) => watch.note(connection),
    noteEnvironment(connection) {
      watch.stop()
      watch.note(connection)
      synchronisation.stopOthers()
    },
    async noteKeychain() {
      await cache.reopen()
      await cache.ask(environments.state().currentEnvironmentId, 'state', {})
    },
    async start() {
      timer = setInterval(() => synchronisation.tick(), tickEveryMs)
      await cache.ask(environments.state().currentEnvironmentId, 'state', {})
    },
    endStart() {
      endStart()
      firstTimer = setTimeout(() => synchronisation.tick(), firstTickMs)
    },
    async close() {
      clearTimeout(firstTimer)
      if (timer) clearInterval(timer)
      watch.stop()
      await synchronisation.close()
      await cache.close()
    },
  }
}

/** Where an environment leads. For a built-in service, that is known before it runs, and without the keychain. */
async function targetOf(
  environments: Environments,
  environmentId: string,
  mayAsk: boolean,
): ReturnType<CacheOptions['target']> {
  if (builtInMode(environmentId)) return succeed({ environmentId, baseUrl: '', headers: {} })
  const known = environments.state().environments.find(({ id }) => id === environmentId)
  if (!mayAsk && !known?.profile) return fail(failure('keychain-unresponsive', "Its profile isn't known."))
  const ready = await environments.ready(environmentId)
  return ready.ok ? succeed(ready.value.target) : ready
}

const setAsideReasons: Record<SetAside['reason'], string> = {
  damaged: 'was damaged',
  'wrong-key': "couldn't be opened with its key",
}

const unwrittenTexts: Record<Extract<CacheNotice, { kind: 'unwritten' }>['reason'], string> = {
  'too-large': `${tooLargeText}. It is no longer updated; everything else still works.`,
  'disk-full':
    'The disk is full or refuses writes, so the cache and its history are no longer updated. Free up disk space, or check the disk; everything else still works.',
  other:
    "The cache and its history couldn't be written, so they may lack what changed. Slipway tries again with the next answer; everything else still works.",
}

/** The text of a notice for the operator; null if a problem is over. */
function describeNotice(notice: CacheNotice): string | null {
  switch (notice.kind) {
    case 'on-disk-again':
    case 'written-again':
      return null
    case 'set-aside': {
      return `The cache ${setAsideReasons[notice.setAside.reason]}. It was set aside as ${notice.setAside.file}, and a new one was created. Sync to fill it.`
    }
    case 'memory-only':
      return `The cache is kept in memory for this session only. ${notice.reason.message}`
    case 'other-service':
      return "This environment's cache was removed, and a new one was created: it was filled with another base URL, other request headers, or another proxy or certificate rule, or by an earlier version of Slipway. Sync to fill it."
    case 'unwritten':
      return unwrittenTexts[notice.reason]
  }
}
