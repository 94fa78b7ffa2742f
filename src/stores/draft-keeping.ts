import type { DraftsKeeping, Outcome } from '@contract'
import { toRaw } from 'vue'
import { call, on } from '@/api'
import { whenIdle } from '@/components/when-idle'
import { isUntouched } from '@/screens/new-deployment/model/draft'
import { contentOf } from '@/screens/new-deployment/model/kept'
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

  const note = async (answer: Promise<Outcome<DraftsKeeping>>): Promise<void> => {
    const outcome = await answer
    if (outcome.ok) heard(outcome.value)
    else if (outcome.failure.code === 'invalid-input') {
      const { message, advice } = outcome.failure
      heard({ kept: 'session', message: [message, advice].filter(Boolean).join(' '), setAside: null })
    }
  }

  function remove({ id, environmentId }: DraftEntry): void {
    kept.delete(id)
    void note(call('drafts.remove', { environmentId, id }, { quiet: true }))
  }

  function save(entry: DraftEntry): void {
    const { id, environmentId, notes, sent, revision } = entry
    kept.add(id)
    const sentAt = sent?.revision === revision ? sent.at : null
    const draft = { id, content: contentOf(toRaw(entry.draft)), notes: copyJson(notes), sentAt }
    void note(call('drafts.save', { environmentId, draft, current: isCurrent(entry) }, { quiet: true }))
  }

  function tell(): void {
    clearTimeout(pause)
    callOff?.()
    callOff = null
    since = null
    const entries = [...untold.values()]
    untold.clear()
    for (const entry of entries) {
      if (!isUntouched(entry.draft)) save(entry)
      else if (entry.restored || kept.has(entry.id)) remove(entry)
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
      if (entry.restored || kept.has(entry.id)) remove(entry)
    },
    tell,
  }
}
