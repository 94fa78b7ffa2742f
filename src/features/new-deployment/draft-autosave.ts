import type { DraftsPersistence } from '@contract'
import { failureText } from '@contract/core/outcome'
import { useDebounceFn, useTimeoutFn } from '@vueuse/core'
import { computed, shallowReactive, shallowRef, toRaw } from 'vue'
import { call, on } from '@/app/api'
import { whenIdle } from '@/app/window'
import { isUntouched } from './draft/draft'
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

/** How long to wait before a failed save is repeated, in milliseconds. */
export const retryPauseMs = 10_000

/**
 * One queue for all drafts: what the main process has of each is brought to what is here, until that works. It answers
 * in the order of the calls.
 *
 * @param isCurrent whether the form shows the draft
 * @param nameOf a draft's name in a sentence
 */
export function createDraftAutosave(
  isCurrent: (entry: DraftEntry) => boolean,
  nameOf: (entry: DraftEntry) => string,
) {
  /** Drafts that the next flush saves or removes. */
  const due = new Map<string, DraftEntry>()
  /** Drafts that are gone here. */
  const discarded = new Set<string>()
  /** Why the main process doesn't have a draft as it is here. */
  const problems = shallowReactive(new Map<string, string>())
  /** Where the main process saves drafts in general; null until it has said so. */
  const general = shallowRef<DraftsPersistence | null>(null)
  const retryTimer = useTimeoutFn(flush, retryPauseMs, { immediate: false })
  const flushSoon = useDebounceFn(() => whenIdle(() => void flush(), idleTimeoutMs), pauseMs, {
    maxWait: latestMs,
  })

  function setPersistence(now: DraftsPersistence): void {
    // This comes after every save, and is rarely different.
    if (JSON.stringify(now) !== JSON.stringify(general.value)) general.value = now
  }

  /** Brings what the main process has of a draft to what is here. Gives whether that worked. */
  async function bring(entry: DraftEntry): Promise<boolean> {
    const { id, revision } = entry
    due.delete(id)
    const isGone = discarded.has(id) || isUntouched(entry.draft)
    if (isGone && entry.savedRevision === null) return true
    const why = await (isGone ? remove(entry) : save(entry))
    if (why !== null) {
      problems.set(id, `Draft ${nameOf(entry)}: ${why}`)
      due.set(id, entry)
      retryTimer.start()
      return false
    }
    problems.delete(id)
    entry.savedRevision = isGone ? null : revision
    // There may be room for others now.
    if (isGone) await flush()
    return true
  }

  /** Gives why a draft isn't saved; null if it is. */
  async function save(entry: DraftEntry): Promise<string | null> {
    const { id, environmentId, notes, sent: attempt, revision } = entry
    // From now on, the main process may have it.
    entry.savedRevision ??= -1
    const sentAt = attempt?.revision === revision ? attempt.at : null
    const draft = { id, content: copyJson(toRaw(entry.draft)), notes: copyJson(notes), sentAt }
    const outcome = await call('drafts.save', { environmentId, draft, current: isCurrent(entry) })
    if (outcome.ok) {
      setPersistence(outcome.value)
      return null
    }
    const { code, message, issues } = outcome.failure
    if (code !== 'invalid-input') return `The latest changes aren't saved yet. ${message} ${retryingSave}`
    return issues.map((issue) => issue.message).join(' ') || failureText(outcome.failure)
  }

  /** Gives why a draft isn't removed; null if it is. */
  async function remove({ environmentId, id }: DraftEntry): Promise<string | null> {
    const outcome = await call('drafts.remove', { environmentId, id })
    if (outcome.ok) setPersistence(outcome.value)
    // It is gone, perhaps together with its environment.
    if (outcome.ok || outcome.failure.code === 'not-found') return null
    return `It isn't discarded yet. ${outcome.failure.message} ${retryingRemoval}`
  }

  async function flush(): Promise<void> {
    retryTimer.stop()
    await Promise.all([...due.values()].map(bring))
  }

  // The last changes are saved while the window closes, or when the application asks before it quits.
  window.addEventListener('beforeunload', () => void flush())
  on('drafts.flush', () => {
    void flush()
    void call('drafts.flushed', {})
  })

  return {
    /** Where drafts are saved: what is wrong in general, or else with one draft. */
    persistence: computed<DraftsPersistence | null>(() => {
      const [message] = problems.values()
      return message === undefined || general.value?.message ? general.value : { storage: 'session', message }
    }),
    /** Takes in where the main process saves drafts now, as it reports it. */
    setPersistence,
    /** Saves a draft soon; removes it if nothing is left in it. */
    schedule(entry: DraftEntry): void {
      due.set(entry.id, entry)
      void flushSoon()
    },
    /** Does at once what was scheduled, and tries again what failed. */
    flush,
    /** Saves a draft at once; gives whether it is saved whole, at least until Slipway ends. */
    save: bring,
    /** Removes a draft with the main process too. */
    discard(entry: DraftEntry): void {
      discarded.add(entry.id)
      void bring(entry)
    },
    /** Whether a draft was discarded here, which the main process may not know yet. */
    isDiscarded: (id: string): boolean => discarded.has(id),
  }
}

const retryingSave =
  'Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.'

const retryingRemoval =
  'Slipway tries again by itself; until that works, it is saved, and shown again after the next start.'
