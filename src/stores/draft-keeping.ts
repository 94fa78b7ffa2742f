import type { DraftsKeeping, Outcome } from '@contract'
import { call, on } from '@/api'
import { isUntouched } from '@/screens/new-deployment/model/draft'
import { contentOf } from '@/screens/new-deployment/model/kept'
import { copyJson } from '@/screens/new-deployment/model/tree'
import type { DraftEntry } from './new-deployment'

/** How long changes are gathered before they are told to the main process, in milliseconds. */
const gatherMs = 200

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
  let timer: ReturnType<typeof setTimeout> | undefined

  const note = async (answer: Promise<Outcome<DraftsKeeping>>): Promise<void> => {
    const outcome = await answer
    if (outcome.ok) heard(outcome.value)
  }

  function remove({ id, environmentId }: DraftEntry): void {
    kept.delete(id)
    void note(call('drafts.remove', { environmentId, id }, { quiet: true }))
  }

  function save(entry: DraftEntry): void {
    const { id, environmentId, notes } = entry
    kept.add(id)
    const draft = { id, content: contentOf(entry.draft), notes: copyJson(notes) }
    void note(call('drafts.save', { environmentId, draft, current: isCurrent(entry) }, { quiet: true }))
  }

  function tell(): void {
    clearTimeout(timer)
    timer = undefined
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
      timer ??= setTimeout(tell, gatherMs)
    },
    removed(entry) {
      untold.delete(entry.id)
      if (entry.restored || kept.has(entry.id)) remove(entry)
    },
    tell,
  }
}
