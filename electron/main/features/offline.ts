import {
  answerLimits,
  type Answers,
  type Connection,
  type DeploymentDetail,
  deploymentsPath,
  type Failure,
  type Outcome,
  type ParsedCallInput,
  type RepositoryList,
  succeed,
} from '@contract'
import type { SyncState } from '@contract/cache'
import type { SetAside } from '../../cache/protocol'
import { createAllCaches } from './all-caches'
import { accountIdentity, builtInMode, existsIn, targetIn } from '../environments/known'
import type { Environments } from '../environments'
import type { HttpClient } from '../http/client'
import type { Journal } from '../stored/journal'
import type { FileKeys } from '../processes/keychain'
import {
  type Inputs,
  type ServiceClient,
  type Cache,
  type CacheNotice,
  createCache,
  tooLargeText,
} from '../processes/cache-client'
import { createSynchronisation, type Synchronisation } from './sync'
import type { StoreProcess } from '../processes/store-process'
import type { JsonText, OrText } from '../processes/answers'
import { type Deployments, noSuchDeployment } from './deployments/list'
import { isUnreachable } from '../http/failures'
import { startSpan } from '../async'

export interface OfflineOptions {
  process: StoreProcess
  /** The folder of the caches. */
  folder: string
  keys: FileKeys
  environments: Environments
  http: HttpClient
  /** Whether an environment's service can be called in the background (`Connections.mayAnswer`). */
  mayAnswer: (environmentId: string) => boolean
  isShown: () => boolean
  journal: Journal
  changed: (state: SyncState) => void
  /** Called with the file of a cache that was set aside and isn't the current environment's, which tells it itself. */
  setAside: (file: string) => void
  report: (error: unknown) => void
}

export type Offline = ReturnType<typeof createOffline>

/** How often to check whether a synchronisation is due, in milliseconds, and when first, after the first list. */
const tickEveryMs = 20_000
const firstTickMs = 5_000

/** All functions of the caches: writing, answering and synchronising. */
export function createOffline(options: OfflineOptions) {
  const { environments, http, mayAnswer, isShown, changed, report } = options
  const cache = createCache({
    process: options.process,
    keys: options.keys,
    exists: existsIn(environments),
    target: targetIn(environments),
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
      isShown() && (mayAnswer(environmentId) || builtInMode(environmentId) !== null),
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
    /** Waits for `endStart`. */
    allCaches: createAllCaches(cache, environments, started),
    synchronisation,
    /** The client whose answers are cached. */
    http: writeThrough(http, cache),
    /** Parts that answer from the cache if the service can't be reached. */
    serve: (parts: Deployments & Answers<'repositories'>) => withFallback(parts, cache),
    noteConnection: (connection: Connection): void => watch.note(connection),
    /** Call it when another environment may be current. */
    noteEnvironment(connection: Connection): void {
      watch.stop()
      watch.note(connection)
      synchronisation.stopOthers()
    },
    /** Call it when the keychain answers again. Caches that are in memory because of it move to the disk. */
    async noteKeychain(): Promise<void> {
      await cache.reopen()
      await cache.ask(environments.state().currentEnvironmentId, 'state', {})
    },
    /**
     * Opens the cache of the current environment, which the first list comes from, and starts the background work. Call
     * it after the first paint. Resolves when the cache is open, or can't be opened.
     */
    async start(): Promise<void> {
      timer = setInterval(() => synchronisation.tick(), tickEveryMs)
      await cache.ask(environments.state().currentEnvironmentId, 'state', {})
    },
    /** Call it when the start no longer needs the keychain: from then on, caches of all environments are read. */
    endStart(): void {
      endStart()
      firstTimer = setTimeout(() => synchronisation.tick(), firstTickMs)
    },
    async close(): Promise<void> {
      clearTimeout(firstTimer)
      if (timer) clearInterval(timer)
      watch.stop()
      await synchronisation.close()
      await cache.close()
    },
  }
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
      return "This environment's cache was removed, and a new one was created: it was filled with another base URL, other request headers, or another proxy or certificate rule. Sync to fill it."
    case 'unwritten':
      return unwrittenTexts[notice.reason]
  }
}

/**
 * Answers from the cache, with the text that its process wrote, if the service can't be reached, or no longer has the
 * deployment. If the cache has nothing, the failure stays.
 */
export function withFallback(parts: Deployments & Answers<'repositories'>, cache: Pick<Cache, 'askText'>) {
  return {
    ...parts,
    async 'deployments.get'({ environmentId, id }: ParsedCallInput<'deployments.get'>, signal: AbortSignal) {
      const outcome = await parts['deployments.get']({ environmentId, id }, signal)
      const isMissing = !outcome.ok && outcome.failure === noSuchDeployment
      const cacheInput = isMissing ? { id, missingAt: new Date().toISOString() } : { id }
      return orFromCache<DeploymentDetail>(outcome, () =>
        cache.askText(environmentId, 'deployment', cacheInput),
      )
    },
    async 'repositories.list'(input: ParsedCallInput<'repositories.list'>, signal: AbortSignal) {
      return orFromCache<RepositoryList>(await parts['repositories.list'](input, signal), () =>
        cache.askText(input.environmentId, 'repositories', { integrationId: input.integrationId }),
      )
    },
  }
}

async function orFromCache<T>(
  outcome: Outcome<T>,
  askCache: () => Promise<Outcome<JsonText<T | null>>>,
): Promise<OrText<T>> {
  if (outcome.ok || !mayUseCache(outcome.failure)) return outcome
  const cached = await askCache()
  return cached.ok && isThere(cached.value) ? succeed(cached.value) : outcome
}

/** Whether the cache has an answer: its process writes null if it doesn't. */
const isThere = <T>(cached: JsonText<T | null>): cached is JsonText<T> => cached.text !== 'null'

function mayUseCache(reason: Failure): boolean {
  // Without a keychain, or if the built-in service doesn't start, the service can't be reached either.
  const isOut =
    isUnreachable(reason) || reason.code.startsWith('keychain-') || reason.code === 'built-in-service'
  return isOut || reason === noSuchDeployment
}

/**
 * A client that writes each answer into the cache, except very large ones. It doesn't wait for that, reads no reply,
 * and ignores failures: the answer is valid without it.
 */
function writeThrough(http: HttpClient, cache: Pick<Cache, 'askText'>): ServiceClient {
  return {
    async request(request) {
      const measured = startSpan()
      const outcome = await http.request(request)
      const { target, cachedAs } = request
      if (outcome.ok && target.environmentId !== null) {
        const { body } = outcome.value
        if (body.byteLength > answerLimits.storedBytes) return outcome
        const { op, ...input } = cachedAs
        const written = { ...input, body, span: measured() } as Inputs<typeof op>
        // The environment may now lead to another service than the one that answered.
        void cache.askText(target.environmentId, op, written, accountIdentity(target))
      }
      return outcome
    },
  }
}

/** The first wait before a request. It doubles up to the longest. */
const firstWaitMs = 3_000
const longestWaitMs = 60_000

/**
 * Detects that a service can be reached again. While its connection is offline, `ask` makes a small request at growing
 * intervals. The outcome changes the connection like that of any other request.
 */
export class ReconnectWatch {
  private timer: NodeJS.Timeout | null = null
  private wait = firstWaitMs

  constructor(private readonly ask: (environmentId: string) => Promise<unknown>) {}

  /** Call it with every change of the current environment's connection. */
  note({ environmentId, state }: Connection): void {
    if (state !== 'offline') {
      this.stop()
    } else {
      this.timer ??= setTimeout(() => {
        this.timer = null
        this.wait = Math.min(this.wait * 2, longestWaitMs)
        void this.ask(environmentId)
      }, this.wait)
    }
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.wait = firstWaitMs
  }
}
