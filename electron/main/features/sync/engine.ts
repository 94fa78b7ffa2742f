import { failure, type Failure } from '@contract'
import { cacheNotes, givenUpRun, largestCache, parseSavedRun, type SavedRun } from '@contract/cache'
import { CacheReplaced, defaultRetryPolicy, type RetryPolicy, Stopped, throwIfAborted, unwrap } from './retry'
import { confirmDeletions } from './confirm-deletions'
import { agree } from './list-order'
import { Pass, type PassOptions, type PassResult } from './pass'
import type { SyncAdapters } from './types'
import { PageReader } from './page-reader'

/** The progress of a synchronisation. */
export interface SyncProgress {
  /** Reading the list, or requesting what wasn't seen. */
  phase: 'reading' | 'confirming'
  /** The pass through the list, from 1. */
  pass: number
  /** How many deployments this pass has covered. */
  covered: number
}

/** The result of a synchronisation. */
export interface SyncResult {
  /**
   * `complete`: the cache has every deployment that existed throughout. `unsettled`: the service kept changing the
   * order of its list, so some may be missing. `cancelled` and `failed` can continue later where they stopped.
   */
  end: 'complete' | 'unsettled' | 'cancelled' | 'failed'
  /** Why it failed. */
  failure: Failure | null
  /** Whether the last pass still found changes. The next synchronisation gets what changed after that. */
  moving: boolean
  passes: number
  /** The order of the list in the last pass; null before one was complete. */
  order: PassResult['order'] | null
  /** How many deployments the last pass covered. */
  covered: number
  /** How many were marked as gone. */
  gone: number
  /** The number of the run, as in the cache's note; 0 before it began. */
  run: number
}

export interface SyncOptions extends Partial<PassOptions> {
  retryPolicy?: RetryPolicy
  /** Continues an interrupted run, if there is one. Otherwise a new one begins. */
  resume?: boolean
}

/** Limits for the passes of one run. */
const maxPasses = { ordered: 3, disordered: 5 } as const

/** How often a run starts over because the cache was replaced, before it fails. */
const maxCaches = 3

/** How often the state of a run is saved with the cache, in milliseconds. */
const saveEveryMs = 2000

const defaultOptions: PassOptions = { limit: 100, overlap: 2, inFlight: 6, maxItems: 2_000_000 }

/** How many bytes the answers of one pass may have: twice the largest size of a cache. */
const maxBytesOfPass = 2 * largestCache.gigabytes * 1024 ** 3

/**
 * Brings the cache into agreement with the service. Reads the whole list as often as needed, requests further cached
 * deployments by `deployment_ids`, and marks as gone what the service no longer has. A run that can't be finished ends
 * as `failed`, `cancelled` or `unsettled`, never as `complete`. What `complete` guarantees depends on the order of the
 * list: .github/decisions/0009-what-a-synchronisation-guarantees.md.
 *
 * Continues an interrupted run unless `options.resume` is false. Starts over if the cache is reopened meanwhile. There
 * are limits for the number of passes, for the pages, items and bytes in each, and for the attempts of each call.
 *
 * @param signal ends the run as `cancelled`
 * @throws what `adapters` throw; their failures end the run as `failed`
 */
export async function synchronise(
  adapters: SyncAdapters,
  options: SyncOptions,
  signal: AbortSignal,
  onProgress: (progress: SyncProgress) => void,
): Promise<SyncResult> {
  const result: SyncResult = {
    end: 'complete',
    failure: null,
    moving: false,
    order: null,
    passes: 0,
    covered: 0,
    gone: 0,
    run: 0,
  }
  const attempt = async (resume: boolean): Promise<void> => {
    const saved = await begin(adapters, resume)
    Object.assign(result, { run: saved.run, end: 'complete' })
    const reader = new PageReader(adapters, saved.run, options.retryPolicy ?? defaultRetryPolicy, signal)
    try {
      unwrap(await adapters.store.bulk(true))
      const limits = { ...defaultOptions, ...options }
      await new Run(adapters, limits, reader, saved, signal, onProgress, result).complete()
      await commit(adapters, reader)
    } finally {
      reader.close()
    }
  }
  try {
    await onLastingCache(adapters, attempt, options.resume ?? true, signal)
  } catch (error) {
    const committed = await adapters.store.bulk(false)
    // The next run mustn't continue after pages that are lost.
    if (!committed.ok) await forgetRun(adapters)
    if (!(error instanceof Stopped)) throw error
    const unwanted = error.failure.code === 'cancelled' || error.failure.code === 'environment-changed'
    result.end = unwanted ? 'cancelled' : 'failed'
    result.failure = result.end === 'failed' ? error.failure : null
  }
  return result
}

/**
 * Commits what the cache process has gathered. Throws `CacheReplaced` if some of it may be lost, for example because
 * the disk refused a read or the process ended, and `Stopped` if it can't be written.
 */
async function commit({ store }: SyncAdapters, reader: PageReader): Promise<void> {
  const committed = await store.bulk(false)
  reader.throwIfReplaced()
  if (!committed.ok && committed.failure.code === 'cache' && committed.failure.retryable) {
    throw new CacheReplaced()
  }
  unwrap(committed)
}

/**
 * Repeats the attempt if the cache was replaced during it. The next one starts over: the state of the run may have been
 * saved in a cache that lacks what was written before.
 */
async function onLastingCache(
  adapters: SyncAdapters,
  attempt: (resume: boolean) => Promise<void>,
  resume: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let caches = 1; ; caches += 1) {
    try {
      return await attempt(resume && caches === 1)
    } catch (error) {
      if (!(error instanceof CacheReplaced)) throw error
      if (caches < maxCaches) continue
      await forgetRun(adapters)
      throwIfAborted(signal)
      throw new Stopped(unsteadyCache)
    }
  }
}

const unsteadyCache = failure('cache', 'The cache had to be reopened or repaired several times.', {
  advice: 'Nothing at the service is affected. Sync again. If it keeps happening, see the log.',
  retryable: true,
})

/** Forgets an interrupted run, so that the next synchronisation starts over. If it can't be read, it is lost. */
export async function forgetRun(adapters: Pick<SyncAdapters, 'store'>): Promise<void> {
  const note = await adapters.store.readNote(cacheNotes.run)
  const givenUp = note.ok ? givenUpRun(note.value) : null
  if (givenUp !== null) await adapters.store.writeNote(cacheNotes.run, givenUp)
}

async function readRun({ store }: Pick<SyncAdapters, 'store'>): Promise<SavedRun | null> {
  return parseSavedRun(unwrap(await store.readNote(cacheNotes.run)))
}

async function begin(adapters: SyncAdapters, resume: boolean): Promise<SavedRun> {
  const saved = await readRun(adapters)
  if (saved && !saved.done && resume) return saved
  // Two caches of an environment, one on the disk and one in memory, must not have runs of the same number.
  const run = (saved?.run ?? Math.floor(adapters.random() * 2 ** 40)) + 1
  const fresh: SavedRun = {
    run,
    done: false,
    pass: 1,
    newestCreated: null,
    state: null,
  }
  unwrap(await adapters.store.writeNote(cacheNotes.run, JSON.stringify(fresh)))
  return fresh
}

/** The passes of one run, and the steps after them. */
class Run {
  private before: PassResult | null = null
  private lastSave: number

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly options: PassOptions,
    private readonly reader: PageReader,
    private readonly saved: SavedRun,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: SyncProgress) => void,
    private readonly result: SyncResult,
  ) {
    this.lastSave = adapters.clock.now()
  }

  async complete(): Promise<void> {
    const { saved, result } = this
    for (;;) {
      const pass = await this.pass()
      result.passes += 1
      result.covered = pass.count
      result.order = pass.order
      const verdict = this.judge(pass)
      this.before = pass
      saved.pass += 1
      saved.state = null
      await this.save()
      if (verdict === 'again') continue
      if (verdict === 'unsettled') result.end = 'unsettled'
      result.moving = pass.fresh + pass.changed > 0
      break
    }
    this.report('confirming', result.covered)
    const seen = [...this.before.covered.keys()].slice(0, 20)
    result.gone += await confirmDeletions(this.adapters, this.reader, saved.run, seen)
    saved.done = true
    await this.save()
    this.reader.throwIfReplaced()
  }

  private async pass(): Promise<PassResult> {
    const { saved } = this
    this.reader.allowBytes(maxBytesOfPass)
    const pass = new Pass(
      this.reader,
      this.options,
      { newestCreated: saved.newestCreated, count: this.before?.count ?? null },
      async (current) => {
        this.report('reading', current.count)
        throwIfAborted(this.signal)
        if (this.adapters.clock.now() - this.lastSave < saveEveryMs) return
        saved.state = current.save()
        await this.save()
      },
      saved.state,
    )
    this.report('reading', pass.count)
    try {
      return await pass.run()
    } catch (error) {
      if (error instanceof Stopped) await this.saveStopped(pass)
      throw error
    }
  }

  /**
   * Saves where a pass stopped, so that the next run loses nothing. Doesn't save it in a cache that lacks what the pass
   * wrote.
   */
  private async saveStopped(pass: Pass): Promise<void> {
    this.reader.throwIfReplaced()
    this.saved.state = pass.save()
    await this.adapters.store.writeNote(cacheNotes.run, JSON.stringify(this.saved))
    // Its process may have ended before: then this has opened another.
    this.reader.throwIfReplaced()
  }

  /** Whether the passes so far are enough; see the record in the comment of `synchronise`. */
  private judge(pass: PassResult): 'enough' | 'again' | 'unsettled' {
    const { saved, before } = this
    const unchanged = pass.fresh + pass.changed === 0
    saved.newestCreated = pass.newestCreated
    if (pass.chained && pass.order !== 'unknown') {
      return unchanged || saved.pass >= maxPasses.ordered ? 'enough' : 'again'
    }
    const steady =
      pass.chained && before?.chained === true && agree(before.covered.keys(), pass.covered.keys())
    if (steady && pass.unexplained === 0 && (unchanged || saved.pass >= maxPasses.ordered)) return 'enough'
    // Nothing shows a gap, but two passes have found the same.
    if (!pass.chained && unchanged && before) return pass.cut ? 'unsettled' : 'enough'
    return saved.pass >= maxPasses.disordered ? 'unsettled' : 'again'
  }

  private report(phase: SyncProgress['phase'], covered: number): void {
    // However the run ends: a later pass sees the same deployments again.
    this.result.covered = Math.max(this.result.covered, covered)
    this.onProgress({ phase, pass: this.saved.pass, covered })
  }

  private async save(): Promise<void> {
    this.lastSave = this.adapters.clock.now()
    unwrap(await this.adapters.store.writeNote(cacheNotes.run, JSON.stringify(this.saved)))
  }
}
