import { type DraftsKeeping, type Outcome, type SavedDraft, type Secret } from '@contract'
import { toRaw } from 'vue'
import { call, on } from '@/api'
import { whenIdle } from '@/composables/idle'
import { isUntouched } from '@/domain/draft/draft'
import { contentOf } from '@/domain/draft/persisted'
import { copyJson } from '@/domain/text/json-path'
import type { DraftEntry } from './draft-entry'
import { markOf, noteMarks } from './secret-marks'

/**
 * Changes are told to the main process once typing has paused for so long, and this long after the first of them at
 * the latest, in milliseconds: the whole draft is told, and keystrokes stay quick.
 */
const pauseMs = 300
const latestMs = 900

/** After this, in milliseconds, they are told even while the page is busy. */
const timeoutMs = 400

/**
 * So long after the main process did not take what it was told it is told again, in milliseconds; each time twice as long,
 * up to the longest.
 */
export const tellingAgain = { firstMs: 1_000, mostMs: 30_000 } as const

/** Tells the main process, which keeps them, what becomes of drafts. */
export interface DraftAutosave {
  /** Notes that a draft has changed; it is told soon. */
  changed: (entry: DraftEntry) => void
  /** Forgets a draft, here and there. */
  removed: (entry: DraftEntry) => void
  /** Whether a draft that was forgotten here is still to be forgotten there. */
  isLeaving: (id: string) => boolean
  /** Tells at once what was not told yet. */
  tell: () => void
  /** Tells a draft at once; gives whether it is kept as it is, at least for as long as Slipway runs. */
  keep: (entry: DraftEntry) => Promise<boolean>
  /** Notes where the main process keeps drafts now. */
  heard: (keeping: DraftsKeeping) => void
  /** Tells those again that were not kept, for which there may be room, and those that were not discarded. */
  retry: () => Promise<void>
}

/**
 * @param isCurrent whether the form shows the draft
 * @param nameOf a draft's name in a sentence
 * @param wayOf how an environment leads to its service (`wayOf` of the app's store)
 * @param show is called with where drafts are kept, after each change
 */
export function createDraftAutosave(
  isCurrent: (entry: DraftEntry) => boolean,
  nameOf: (entry: DraftEntry) => string,
  wayOf: (environmentId: string) => string | null,
  show: (keeping: DraftsKeeping) => void,
): DraftAutosave {
  /** How each draft is told of which the main process does not know everything, by identifier. */
  const untold = new Map<string, () => Promise<unknown>>()
  const kept = new Set<string>()
  let pause: ReturnType<typeof setTimeout> | undefined
  /** Calls off telling when the page is idle. */
  let callOff: (() => void) | null = null
  /** Tells again what was not taken, should nothing change meanwhile, and after how long the next time. */
  let again: ReturnType<typeof setTimeout> | undefined
  let againMs: number = tellingAgain.firstMs
  /** When the first of the changes that were not told was made, on the clock of `performance`. */
  let since: number | null = null
  /** Where drafts are kept on the whole; null until that is heard of. */
  let general: DraftsKeeping | null = null
  /** Drafts that are not kept as they are although others are, and why, by their identifiers. */
  const refused = new Map<string, { entry: DraftEntry; why: string }>()
  /** Drafts that are forgotten here, and not there yet, by their identifiers; why that failed last, if it did. */
  const leaving = new Map<string, { entry: DraftEntry; why: string | null }>()

  /** The last call about each draft: what an earlier one answers no longer holds. */
  const latest = new WeakMap<DraftEntry, object>()

  function heard(keeping: DraftsKeeping): void {
    general = keeping
    for (const [id, { why }] of refused) if (why === keeping.message) refused.delete(id)
    showBoth()
  }

  function showBoth(): void {
    const [first] = [...refused.values(), ...leaving.values()].filter(({ why }) => why !== null)
    if (general && (general.message !== null || !first)) show(general)
    else if (first) {
      const message = `Draft ${nameOf(first.entry)}: ${first.why}`
      show({ kept: 'session', message, setAside: general?.setAside ?? null })
    }
  }

  /** Notes why a draft is not kept as it is, until it is told again or removed; null where it is. */
  function note(entry: DraftEntry, why: string | null): void {
    if (why === null) refused.delete(entry.id)
    else refused.set(entry.id, { entry, why })
    showBoth()
  }

  /** Why a draft that was told is not kept as it is although others are; null where it is. */
  function refusalIn(outcome: Outcome<SavedDraft>): string | null {
    if (!outcome.ok) {
      const { code, message, advice, issues } = outcome.failure
      if (code !== 'invalid-input') return `The latest changes are not kept yet. ${message} ${meanwhile}`
      return (issues.length > 0 ? issues.map((issue) => issue.message) : [message, advice])
        .filter(Boolean)
        .join(' ')
    }
    const { keeping } = outcome.value
    general ??= keeping
    return keeping.message === general.message ? null : keeping.message
  }

  /** Notes that a draft was not taken as it was told: it is told with the next change, or when that may have passed. */
  function tellAgain(entry: DraftEntry, telling: () => Promise<unknown>): void {
    if (!untold.has(entry.id)) untold.set(entry.id, telling)
    if (again !== undefined) return
    again = setTimeout(tellWhenIdle, againMs)
    againMs = Math.min(2 * againMs, tellingAgain.mostMs)
  }

  async function remove(entry: DraftEntry): Promise<void> {
    const { id, environmentId } = entry
    kept.delete(id)
    const turn = {}
    latest.set(toRaw(entry), turn)
    refused.delete(id)
    if (!leaving.has(id)) leaving.set(id, { entry, why: null })
    const outcome = await call('drafts.remove', { environmentId, id }, { quiet: true })
    const isLatest = latest.get(toRaw(entry)) === turn
    if (!outcome.ok && outcome.failure.code !== 'not-found') {
      if (!isLatest) return
      leaving.set(id, { entry, why: `It is not discarded yet. ${outcome.failure.message} ${untilDiscarded}` })
      showBoth()
      tellAgain(entry, () => remove(entry))
      return
    }
    // It went, if only with its environment.
    if (isLatest) leaving.delete(id)
    if (outcome.ok) {
      againMs = tellingAgain.firstMs
      heard(outcome.value)
    } else showBoth()
    await tellRefused()
  }

  async function save(entry: DraftEntry): Promise<boolean> {
    const { id, environmentId, notes, sent, revision } = entry
    kept.add(id)
    leaving.delete(id)
    const turn = {}
    latest.set(toRaw(entry), turn)
    const sentAt = sent?.revision === revision ? sent.at : null
    const content = contentOf(toRaw(entry.draft))
    const rows: readonly Secret[] = entry.draft.entered.secrets.map((row) => toRaw(row))
    for (const [index, secret] of content.entered.secrets.entries()) {
      secret.value = markOf(rows[index]!) ?? secret.value
    }
    const way = wayOf(environmentId)
    const draft = { id, content, notes: copyJson(notes), sentAt }
    const outcome = await call(
      'drafts.save',
      { environmentId, draft, current: isCurrent(entry) },
      { quiet: true },
    )
    const why = refusalIn(outcome)
    if (latest.get(toRaw(entry)) === turn) {
      note(entry, why)
      if (outcome.ok) againMs = tellingAgain.firstMs
      // What is too much stays too much until something changes.
      else if (outcome.failure.code !== 'invalid-input') tellAgain(entry, () => save(entry))
      if (outcome.ok && entry.revision === revision) noteMarks(rows, outcome.value.marks, way)
    }
    return outcome.ok && why === null
  }

  /** Tells those again that were not kept; there may be room for them. */
  async function tellRefused(): Promise<void> {
    const entries = [...refused.values()].map(({ entry }) => entry)
    for (const { id } of entries) untold.delete(id)
    await Promise.all(entries.map(save))
  }

  async function tellChanged(entry: DraftEntry): Promise<void> {
    if (!isUntouched(entry.draft)) await save(entry)
    else if (entry.restored || kept.has(entry.id)) await remove(entry)
  }

  function tell(): void {
    clearTimeout(pause)
    clearTimeout(again)
    again = undefined
    callOff?.()
    callOff = null
    since = null
    const tellings = [...untold.values()]
    untold.clear()
    for (const telling of tellings) void telling()
  }

  function tellWhenIdle(): void {
    callOff ??= whenIdle(tell, timeoutMs)
  }

  // What was typed last is told while the window closes, or when the application asks before it quits.
  window.addEventListener('beforeunload', tell)
  on('drafts.ask', () => {
    tell()
    void call('drafts.told', {}, { quiet: true })
  })

  return {
    changed(entry) {
      untold.set(entry.id, () => tellChanged(entry))
      since ??= performance.now()
      const left = since + latestMs - performance.now()
      clearTimeout(pause)
      pause = setTimeout(tellWhenIdle, Math.max(0, Math.min(pauseMs, left)))
    },
    removed(entry) {
      untold.delete(entry.id)
      if (entry.restored || kept.has(entry.id)) void remove(entry)
    },
    isLeaving: (id) => leaving.has(id),
    tell,
    async keep(entry) {
      untold.delete(entry.id)
      return isUntouched(entry.draft) || (await save(entry))
    },
    heard,
    async retry() {
      const entries = [...leaving.values()].filter(({ why }) => why !== null).map(({ entry }) => entry)
      for (const { id } of entries) untold.delete(id)
      await Promise.all(entries.map(remove))
      await tellRefused()
    },
  }
}

const meanwhile =
  'Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.'

const untilDiscarded =
  'Slipway tries again by itself; until that works, it is kept, and shown again after the next start.'
