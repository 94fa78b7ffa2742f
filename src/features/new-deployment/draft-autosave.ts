import type { DraftsPersistence } from '@contract'
import { failureText } from '@contract/core/outcome'
import { toRaw } from 'vue'
import { call, on } from '@/app/api'
import { whenIdle } from '@/app/window'
import { contentOf, isUntouched } from './draft/draft'
import { copyJson } from '@/ui/format/json-path'
import type { DraftEntry } from './draft-entry'

/**
 * A changed draft is saved once typing pauses for this long, in milliseconds, and this long after its first change at
 * the latest. A save sends the whole draft, so it must not come with every key.
 */
const pauseMs = 300
const latestMs = 900

/** How long a save waits for an idle page, in milliseconds. */
const idleTimeoutMs = 400

/** How long to wait before a failed save is repeated, in milliseconds. The wait doubles up to the longest. */
export const retryPause = { firstMs: 1_000, maxMs: 30_000 } as const

/** What became of a call about a draft: why the main process doesn't have it as it is here, and whether to try again. */
interface Result {
  why: string | null
  again: boolean
}

/**
 * One queue for all drafts: what the main process has of each is brought to what is here, until that works.
 *
 * @param isCurrent whether the form shows the draft
 * @param nameOf a draft's name in a sentence
 * @param show takes where drafts are saved, after each change of it
 */
export function createDraftAutosave(
  isCurrent: (entry: DraftEntry) => boolean,
  nameOf: (entry: DraftEntry) => string,
  show: (persistence: DraftsPersistence) => void,
) {
  /** Drafts that the next flush saves or removes. */
  const due = new Map<string, DraftEntry>()
  /** Drafts that the main process may have, and those of them that are gone here. */
  const sent = new Set<string>()
  const discarded = new Set<string>()
  /** Drafts that the main process doesn't have as they are here, and why. */
  const problems = new Map<string, { entry: DraftEntry; why: string }>()
  /** The last call about each draft: the answers to earlier ones no longer hold. */
  const latest = new WeakMap<DraftEntry, object>()
  let pause: ReturnType<typeof setTimeout> | undefined
  let cancelIdle: (() => void) | null = null
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let retryMs: number = retryPause.firstMs
  /** When the first change since the last flush was made, on the clock of `performance`. */
  let changedAt: number | null = null
  /** Where the main process saves drafts in general; null until it has said so. */
  let general: DraftsPersistence | null = null

  function setPersistence(persistence: DraftsPersistence): void {
    general = persistence
    report()
  }

  /** Shows what is wrong in general, or else with one draft. */
  function report(): void {
    const [first] = problems.values()
    if (general && (general.message !== null || !first)) show(general)
    else if (first) show({ storage: 'session', message: `Draft ${nameOf(first.entry)}: ${first.why}` })
  }

  /** Brings what the main process has of a draft to what is here. Gives whether that worked. */
  async function bring(entry: DraftEntry): Promise<boolean> {
    const { id, revision } = entry
    due.delete(id)
    const isGone = discarded.has(id) || isUntouched(entry.draft)
    if (isGone && !sent.has(id) && entry.savedRevision === null) return true
    const request = {}
    latest.set(toRaw(entry), request)
    const { why, again } = await (isGone ? remove(entry) : save(entry))
    if (latest.get(toRaw(entry)) !== request) return why === null
    if (why === null) problems.delete(id)
    else problems.set(id, { entry, why })
    report()
    if (again) retryLater(entry)
    if (why !== null) return false
    retryMs = retryPause.firstMs
    entry.savedRevision = isGone ? null : revision
    if (isGone) {
      sent.delete(id)
      discarded.delete(id)
      // There may be room for others now.
      await retry()
    }
    return true
  }

  async function save(entry: DraftEntry): Promise<Result> {
    const { id, environmentId, notes, sent: attempt, revision } = entry
    sent.add(id)
    const sentAt = attempt?.revision === revision ? attempt.at : null
    const draft = { id, content: contentOf(toRaw(entry.draft)), notes: copyJson(notes), sentAt }
    const input = { environmentId, draft, current: isCurrent(entry) }
    const outcome = await call('drafts.save', input)
    if (!outcome.ok) {
      const { code, message, issues } = outcome.failure
      if (code !== 'invalid-input')
        return { why: `The latest changes aren't saved yet. ${message} ${retryingSave}`, again: true }
      // A draft that is too large stays too large until it changes.
      const why = issues.map((issue) => issue.message).join(' ') || failureText(outcome.failure)
      return { why, again: false }
    }
    general = outcome.value
    return { why: null, again: false }
  }

  async function remove({ environmentId, id }: DraftEntry): Promise<Result> {
    const outcome = await call('drafts.remove', { environmentId, id })
    if (outcome.ok) setPersistence(outcome.value)
    // It is gone, perhaps together with its environment.
    if (outcome.ok || outcome.failure.code === 'not-found') return { why: null, again: false }
    return { why: `It isn't discarded yet. ${outcome.failure.message} ${retryingRemoval}`, again: true }
  }

  /** Tries again with the next flush, which comes after a pause at the latest. */
  function retryLater(entry: DraftEntry): void {
    due.set(entry.id, entry)
    if (retryTimer !== undefined) return
    retryTimer = setTimeout(flushWhenIdle, retryMs)
    retryMs = Math.min(2 * retryMs, retryPause.maxMs)
  }

  async function retry(): Promise<void> {
    await Promise.all([...problems.values()].map(({ entry }) => bring(entry)))
  }

  function flush(): void {
    clearTimeout(pause)
    clearTimeout(retryTimer)
    retryTimer = undefined
    cancelIdle?.()
    cancelIdle = null
    changedAt = null
    for (const entry of [...due.values()]) void bring(entry)
  }

  function flushWhenIdle(): void {
    cancelIdle ??= whenIdle(flush, idleTimeoutMs)
  }

  // The last changes are saved while the window closes, or when the application asks before it quits.
  window.addEventListener('beforeunload', flush)
  on('drafts.flush', () => {
    flush()
    void call('drafts.flushed', {})
  })

  return {
    /** Saves a draft soon; removes it if nothing is left in it. */
    schedule(entry: DraftEntry): void {
      due.set(entry.id, entry)
      changedAt ??= performance.now()
      const left = changedAt + latestMs - performance.now()
      clearTimeout(pause)
      pause = setTimeout(flushWhenIdle, Math.max(0, Math.min(pauseMs, left)))
    },
    /** Does at once what was scheduled. */
    flush,
    /** Saves a draft at once; gives whether it is saved whole, at least until Slipway ends. */
    save: bring,
    /** Removes a draft with the main process too. */
    discard(entry: DraftEntry): void {
      discarded.add(entry.id)
      void bring(entry)
    },
    /** Whether the main process still has a draft that was discarded here. */
    isRemoving: (id: string): boolean => discarded.has(id),
    /** Takes in where the main process saves drafts now, as it reports it. */
    setPersistence,
    /** Tries again what failed. */
    retry,
  }
}

const retryingSave =
  'Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.'

const retryingRemoval =
  'Slipway tries again by itself; until that works, it is saved, and shown again after the next start.'
