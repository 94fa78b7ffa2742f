import { type DraftsKeeping, type Outcome, succeed } from '@contract'
import { toRaw } from 'vue'
import { call, on } from '@/api'
import { whenIdle } from '@/components/when-idle'
import { isUntouched } from '@/screens/new-deployment/model/draft'
import { contentOf, withMarks } from '@/screens/new-deployment/model/kept'
import { copyJson } from '@/screens/new-deployment/model/tree'
import type { DraftEntry } from './new-deployment'

/**
 * Changes are told to the main process once typing has paused for so long, and this long after the first of them at
 * the latest, in milliseconds: the whole draft is told, and keystrokes stay quick.
 */
const pauseMs = 300
const latestMs = 900

/** After this, in milliseconds, they are told even while the page is busy. */
const patienceMs = 400

/** Tells the main process, which keeps them, what becomes of drafts. */
export interface DraftKeeping {
  /** Notes that a draft has changed; it is told soon. */
  changed: (entry: DraftEntry) => void
  /** Forgets a draft, here and there. */
  removed: (entry: DraftEntry) => void
  /** Tells at once what was not told yet. */
  tell: () => void
}

/**
 * @param isCurrent whether the form shows the draft
 * @param heard is called with where drafts are kept, after each change
 */
export function createDraftKeeping(
  isCurrent: (entry: DraftEntry) => boolean,
  heard: (keeping: DraftsKeeping) => void,
): DraftKeeping {
  const untold = new Map<string, DraftEntry>()
  const kept = new Set<string>()
  let pause: ReturnType<typeof setTimeout> | undefined
  /** Calls off telling when the page is idle. */
  let callOff: (() => void) | null = null
  /** When the first of the changes that were not told was made, on the clock of `performance`. */
  let since: number | null = null

  /** The last call about each draft: what an earlier one answers about marks no longer holds. */
  const latest = new WeakMap<DraftEntry, object>()

  const note = (outcome: Outcome<DraftsKeeping>): void => {
    if (outcome.ok) heard(outcome.value)
    else if (outcome.failure.code === 'invalid-input') {
      const { message, advice } = outcome.failure
      heard({ kept: 'session', message: [message, advice].filter(Boolean).join(' '), setAside: null })
    }
  }

  async function remove(entry: DraftEntry): Promise<void> {
    const { id, environmentId } = entry
    kept.delete(id)
    latest.delete(toRaw(entry))
    entry.marks = new Map()
    note(await call('drafts.remove', { environmentId, id }, { quiet: true }))
  }

  async function save(entry: DraftEntry): Promise<void> {
    const { id, environmentId, notes, sent, revision } = entry
    kept.add(id)
    const turn = {}
    latest.set(toRaw(entry), turn)
    const sentAt = sent?.revision === revision ? sent.at : null
    const content = contentOf(toRaw(entry.draft))
    const values = content.entered.secrets.map(({ value }) => value)
    // The main process forgets values that a draft no longer has.
    entry.marks = new Map([...entry.marks].filter(([value]) => values.includes(value)))
    content.entered.secrets = withMarks(content.entered.secrets, entry.marks)
    const draft = { id, content, notes: copyJson(notes), sentAt }
    const outcome = await call(
      'drafts.save',
      { environmentId, draft, current: isCurrent(entry) },
      { quiet: true },
    )
    note(outcome.ok ? succeed(outcome.value.keeping) : outcome)
    if (!outcome.ok || latest.get(toRaw(entry)) !== turn || entry.revision !== revision) return
    const { marks } = outcome.value
    entry.marks = new Map(
      values.flatMap((value, index): [string, string][] => (marks[index] ? [[value, marks[index]]] : [])),
    )
  }

  function tell(): void {
    clearTimeout(pause)
    callOff?.()
    callOff = null
    since = null
    const entries = [...untold.values()]
    untold.clear()
    for (const entry of entries) {
      if (!isUntouched(entry.draft)) void save(entry)
      else if (entry.restored || kept.has(entry.id)) void remove(entry)
    }
  }

  // What was typed last is told while the window closes, or when the application asks before it quits.
  window.addEventListener('beforeunload', tell)
  on('drafts.ask', () => {
    tell()
    void call('drafts.told', {}, { quiet: true })
  })

  return {
    changed(entry) {
      untold.set(entry.id, entry)
      since ??= performance.now()
      const left = since + latestMs - performance.now()
      clearTimeout(pause)
      pause = setTimeout(() => (callOff ??= whenIdle(tell, patienceMs)), Math.max(0, Math.min(pauseMs, left)))
    },
    removed(entry) {
      untold.delete(entry.id)
      if (entry.restored || kept.has(entry.id)) void remove(entry)
    },
    tell,
  }
}
