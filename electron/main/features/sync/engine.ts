import type { Failure } from '@contract'
import { largestCache } from '@contract/cache'
import { Stopped, throwIfAborted, unwrap, confirmDeletions, type SyncAdapters, PageReader } from './reader'
import { Pass, type PassOptions, type PassResult } from './pass'

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
   * order of its list, so some may be missing.
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
  /** Identifies the run in the cache. */
  run: number
}

/** Limits for the passes of one run. */
const maxPasses = { ordered: 3, disordered: 5 } as const

const defaultOptions: PassOptions = { limit: 100, overlap: 2, inFlight: 6, maxItems: 2_000_000 }

/** How many bytes the answers of one pass may have: twice the largest size of a cache. */
const maxBytesOfPass = 2 * largestCache.gigabytes * 1024 ** 3

/**
 * Brings the cache into agreement with the service. Reads the whole list as often as needed, requests further cached
 * deployments by `deployment_ids`, and marks as gone what the service no longer has. A run that can't be finished ends
 * as `failed`, `cancelled` or `unsettled`, never as `complete`; the next one starts over. What `complete` guarantees
 * depends on the order of the list: .github/decisions/0009-what-a-synchronisation-guarantees.md.
 *
 * Fails if the cache is reopened meanwhile. There are limits for the number of passes, for the pages, items and bytes
 * in each, and for the attempts of each call.
 *
 * @param signal ends the run as `cancelled`
 * @throws what `adapters` throw; their failures end the run as `failed`
 */
export async function synchronise(
  adapters: SyncAdapters,
  options: Partial<PassOptions>,
  signal: AbortSignal,
  onProgress: (progress: SyncProgress) => void,
): Promise<SyncResult> {
  const run = adapters.clock.now()
  const result: SyncResult = {
    end: 'complete',
    failure: null,
    moving: false,
    order: null,
    passes: 0,
    covered: 0,
    gone: 0,
    run,
  }
  const reader = new PageReader(adapters, run, signal)
  try {
    unwrap(await adapters.store.bulk(true))
    await new Run(adapters, { ...defaultOptions, ...options }, reader, signal, onProgress, result).complete()
    // Commits what the cache process has gathered.
    unwrap(await adapters.store.bulk(false))
    reader.stopIfReplaced()
  } catch (error) {
    await adapters.store.bulk(false)
    if (!(error instanceof Stopped)) throw error
    const unwanted = error.failure.code === 'cancelled' || error.failure.code === 'environment-changed'
    result.end = unwanted ? 'cancelled' : 'failed'
    result.failure = unwanted ? null : error.failure
  } finally {
    reader.close()
  }
  return result
}

/** The passes of one run, and the steps after them. */
class Run {
  private before: PassResult | null = null

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly options: PassOptions,
    private readonly reader: PageReader,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: SyncProgress) => void,
    private readonly result: SyncResult,
  ) {}

  async complete(): Promise<void> {
    const { result } = this
    for (let verdict = 'again'; verdict === 'again';) {
      const pass = await this.pass()
      result.passes += 1
      result.covered = pass.covered.size
      result.order = pass.order
      verdict = this.judge(pass)
      this.before = pass
      if (verdict === 'unsettled') result.end = 'unsettled'
      result.moving = pass.fresh + pass.changed > 0
    }
    this.report('confirming', result.covered)
    const seen = [...(this.before?.covered.keys() ?? [])].slice(0, 20)
    result.gone += await confirmDeletions(this.adapters, this.reader, result.run, seen)
    this.reader.stopIfReplaced()
  }

  private async pass(): Promise<PassResult> {
    this.reader.allowBytes(maxBytesOfPass)
    const known = {
      newestCreated: this.before?.newestCreated ?? null,
      count: this.before?.covered.size ?? null,
    }
    this.report('reading', 0)
    return await new Pass(this.reader, this.options, known, (covered) => {
      this.report('reading', covered)
      throwIfAborted(this.signal)
    }).run()
  }

  /** Whether the passes so far are enough; see the record in the comment of `synchronise`. */
  private judge(pass: PassResult): 'enough' | 'again' | 'unsettled' {
    const { before, result } = this
    const unchanged = pass.fresh + pass.changed === 0
    if (pass.chained && pass.order !== 'unknown') {
      return unchanged || result.passes >= maxPasses.ordered ? 'enough' : 'again'
    }
    const steady =
      pass.chained && before?.chained === true && agree(before.covered.keys(), pass.covered.keys())
    if (steady && pass.unexplained === 0 && (unchanged || result.passes >= maxPasses.ordered)) return 'enough'
    // Nothing shows a gap, but two passes have found the same.
    if (!pass.chained && unchanged && before) return pass.cut ? 'unsettled' : 'enough'
    return result.passes >= maxPasses.disordered ? 'unsettled' : 'again'
  }

  private report(phase: SyncProgress['phase'], covered: number): void {
    // However the run ends: a later pass sees the same deployments again.
    this.result.covered = Math.max(this.result.covered, covered)
    this.onProgress({ phase, pass: this.result.passes + 1, covered })
  }
}

/** Whether the items that two passes have in common came in the same order in both. */
function agree(one: Iterable<string>, other: Iterable<string>): boolean {
  const indexById = new Map<string, number>()
  let place = 0
  for (const id of one) indexById.set(id, place++)
  let last = -1
  for (const id of other) {
    const at = indexById.get(id)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}
