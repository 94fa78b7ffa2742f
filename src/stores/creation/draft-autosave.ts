import type { DraftsPersistence, Outcome, SavedDraft, Secret } from '@contract'
import { failureText } from '@contract/core/outcome'
import { toRaw } from 'vue'
import { call, on } from '@/api'
import { whenIdle } from '@/composables/idle'
import { contentOf, isUntouched } from '@/domain/draft/draft'
import { copyJson } from '@/domain/text/json-path'
import type { DraftEntry } from './draft-entry'
import { markOf, noteMarks } from './secret-marks'

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

/** Saves drafts with the main process, and says where that fails. */
export interface DraftAutosave {
  /** Saves a draft soon. */
  schedule: (entry: DraftEntry) => void
  /** Saves at once what was scheduled. */
  flush: () => void
  /** Saves a draft at once; gives whether it is saved whole, at least until Slipway ends. */
  save: (entry: DraftEntry) => Promise<boolean>
  /** Removes a draft with the main process too. */
  remove: (entry: DraftEntry) => void
  /** Whether the main process still has a draft that was removed here. */
  isRemoving: (id: string) => boolean
  /** Takes in where the main process saves drafts now, as it reports it. */
  setPersistence: (persistence: DraftsPersistence) => void
  /** Tries failed saves and removals again. */
  retry: () => Promise<void>
}

/**
 * @param isCurrent whether the form shows the draft
 * @param nameOf a draft's name in a sentence
 * @param accountKeyOf the account that an environment leads to (`readableAccountKeyOf` of the app's store)
 * @param show takes where drafts are saved, after each change of it
 */
export function createDraftAutosave(
  isCurrent: (entry: DraftEntry) => boolean,
  nameOf: (entry: DraftEntry) => string,
  accountKeyOf: (environmentId: string) => string | null,
  show: (persistence: DraftsPersistence) => void,
): DraftAutosave {
  /** What to do with the next flush, by the draft's identifier. */
  const scheduled = new Map<string, () => Promise<unknown>>()
  /** Drafts that the main process may have, by identifier. */
  const saved = new Set<string>()
  let pause: ReturnType<typeof setTimeout> | undefined
  let cancelIdle: (() => void) | null = null
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let retryMs: number = retryPause.firstMs
  /** When the first change since the last flush was made, on the clock of `performance`. */
  let changedAt: number | null = null
  /** Where the main process saves drafts in general; null until it has said so. */
  let general: DraftsPersistence | null = null
  /** Drafts that are not saved whole although others are, and why, by identifier. */
  const refused = new Map<string, { entry: DraftEntry; why: string }>()
  /** Drafts that the page has removed but the main process hasn't, with why that failed last, by identifier. */
  const removing = new Map<string, { entry: DraftEntry; why: string | null }>()
  /** The last call about each draft: the answers to earlier ones no longer hold. */
  const latest = new WeakMap<DraftEntry, object>()

  function setPersistence(persistence: DraftsPersistence): void {
    general = persistence
    for (const [id, { why }] of refused) if (why === persistence.message) refused.delete(id)
    report()
  }

  /** Shows what is wrong in general, or else with one draft. */
  function report(): void {
    const [first] = [...refused.values(), ...removing.values()].filter(({ why }) => why !== null)
    if (general && (general.message !== null || !first)) show(general)
    else if (first) {
      const message = `Draft ${nameOf(first.entry)}: ${first.why}`
      show({ storage: 'session', message })
    }
  }

  /** Why a draft was not saved whole although others are; null where it was. */
  function refusalIn(outcome: Outcome<SavedDraft>): string | null {
    if (!outcome.ok) {
      const { code, message, issues } = outcome.failure
      if (code !== 'invalid-input') return `The latest changes aren't saved yet. ${message} ${retryingSave}`
      return issues.length > 0 ? issues.map((issue) => issue.message).join(' ') : failureText(outcome.failure)
    }
    const { persistence } = outcome.value
    general ??= persistence
    return persistence.message === general.message ? null : persistence.message
  }

  async function save(entry: DraftEntry): Promise<boolean> {
    const { id, environmentId, notes, sent, revision } = entry
    saved.add(id)
    removing.delete(id)
    const request = {}
    latest.set(toRaw(entry), request)
    const sentAt = sent?.revision === revision ? sent.at : null
    const content = contentOf(toRaw(entry.draft))
    const rows: readonly Secret[] = entry.draft.entered.secrets.map((row) => toRaw(row))
    for (const [index, secret] of content.entered.secrets.entries()) {
      secret.value = markOf(rows[index]!) ?? secret.value
    }
    const accountKey = accountKeyOf(environmentId)
    const draft = { id, content, notes: copyJson(notes), sentAt }
    const outcome = await call(
      'drafts.save',
      { environmentId, draft, current: isCurrent(entry) },
      { quiet: true },
    )
    const why = refusalIn(outcome)
    if (latest.get(toRaw(entry)) === request) {
      if (why === null) refused.delete(id)
      else refused.set(id, { entry, why })
      report()
      if (outcome.ok) retryMs = retryPause.firstMs
      // A draft that is too large stays too large until it changes.
      else if (outcome.failure.code !== 'invalid-input') retryLater(entry, () => save(entry))
      if (why === null) entry.savedRevision = revision
      if (outcome.ok && entry.revision === revision) noteMarks(rows, outcome.value.marks, accountKey)
    }
    return outcome.ok && why === null
  }

  async function remove(entry: DraftEntry): Promise<void> {
    const { id, environmentId } = entry
    saved.delete(id)
    const request = {}
    latest.set(toRaw(entry), request)
    refused.delete(id)
    if (!removing.has(id)) removing.set(id, { entry, why: null })
    const outcome = await call('drafts.remove', { environmentId, id }, { quiet: true })
    const isLatest = latest.get(toRaw(entry)) === request
    if (!outcome.ok && outcome.failure.code !== 'not-found') {
      if (!isLatest) return
      removing.set(id, {
        entry,
        why: `It isn't discarded yet. ${outcome.failure.message} ${retryingRemoval}`,
      })
      report()
      retryLater(entry, () => remove(entry))
      return
    }
    // It is gone, perhaps together with its environment.
    if (isLatest) removing.delete(id)
    if (outcome.ok) {
      retryMs = retryPause.firstMs
      setPersistence(outcome.value)
    } else report()
    await saveRefused()
  }

  /** Saves refused drafts again: there may be room for them now. */
  async function saveRefused(): Promise<void> {
    const entries = [...refused.values()].map(({ entry }) => entry)
    for (const { id } of entries) scheduled.delete(id)
    await Promise.all(entries.map(save))
  }

  async function saveOrRemove(entry: DraftEntry): Promise<void> {
    if (!isUntouched(entry.draft)) await save(entry)
    else if (entry.restored || saved.has(entry.id)) await remove(entry)
  }

  /** Tries again with the next flush, which comes after a pause at the latest. */
  function retryLater(entry: DraftEntry, work: () => Promise<unknown>): void {
    if (!scheduled.has(entry.id)) scheduled.set(entry.id, work)
    if (retryTimer !== undefined) return
    retryTimer = setTimeout(flushWhenIdle, retryMs)
    retryMs = Math.min(2 * retryMs, retryPause.maxMs)
  }

  function flush(): void {
    clearTimeout(pause)
    clearTimeout(retryTimer)
    retryTimer = undefined
    cancelIdle?.()
    cancelIdle = null
    changedAt = null
    const due = [...scheduled.values()]
    scheduled.clear()
    for (const work of due) void work()
  }

  function flushWhenIdle(): void {
    cancelIdle ??= whenIdle(flush, idleTimeoutMs)
  }

  // The last changes are saved while the window closes, or when the application asks before it quits.
  window.addEventListener('beforeunload', flush)
  on('drafts.flush', () => {
    flush()
    void call('drafts.flushed', {}, { quiet: true })
  })

  return {
    schedule(entry) {
      scheduled.set(entry.id, () => saveOrRemove(entry))
      changedAt ??= performance.now()
      const left = changedAt + latestMs - performance.now()
      clearTimeout(pause)
      pause = setTimeout(flushWhenIdle, Math.max(0, Math.min(pauseMs, left)))
    },
    flush,
    async save(entry) {
      scheduled.delete(entry.id)
      return isUntouched(entry.draft) || (await save(entry))
    },
    remove(entry) {
      scheduled.delete(entry.id)
      if (entry.restored || saved.has(entry.id)) void remove(entry)
    },
    isRemoving: (id) => removing.has(id),
    setPersistence,
    async retry() {
      const entries = [...removing.values()].filter(({ why }) => why !== null).map(({ entry }) => entry)
      for (const { id } of entries) scheduled.delete(id)
      await Promise.all(entries.map(remove))
      await saveRefused()
    },
  }
}

const retryingSave =
  'Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.'

const retryingRemoval =
  'Slipway tries again by itself; until that works, it is saved, and shown again after the next start.'
