import { type Failure, isUnconfirmed, type JournalEntry } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import { useNoticesStore } from './notices'

/** How many entries are fetched at first, and at most (the journal gives no more). */
export const firstEntries = 200
export const mostEntries = 1000

export type ActivityFilter = 'all' | 'creations' | 'synchronisations' | 'failures'

/**
 * The local journal, newest first in its own order, whatever the clock said. Entries that change or begin while the screen is open come as events; the store
 * listens as long as the window lives, so that nothing is missed between two visits of the screen.
 */
export const useActivityStore = defineStore('activity', () => {
  const entries = shallowRef<JournalEntry[]>([])
  const loading = ref(false)
  const loaded = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const filter = ref<ActivityFilter>('all')
  const limit = ref(firstEntries)
  /** What events said while a list was under way, which that list may not hold yet. */
  let arrived: JournalEntry[] = []
  let latest = 0
  /** The name whose unconfirmed creations are fetched besides. */
  let name: string | null = null

  /** What the filter shows, by when it began. */
  const shown = computed(() =>
    entries.value
      .filter((entry) => passes(entry, filter.value))
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt)),
  )
  const mayHaveOlder = computed(() => limit.value < mostEntries && entries.value.length >= limit.value)

  on('journal.changed', (entry) => {
    if (loading.value) arrived.push(entry)
    entries.value = merged(entries.value, [entry]).filter(
      (one, at) => at < mostEntries || (one.kind === 'creation' && isUnconfirmed(one)),
    )
  })

  const notices = useNoticesStore()
  // What could not be read may be there now.
  watch(
    () => notices.journal,
    () => {
      if (loaded.value || loading.value) void load()
    },
  )

  /** Fetches the newest entries again. What is shown stays until the answer is there, also when it fails. */
  async function load(): Promise<void> {
    const mine = ++latest
    arrived = []
    loading.value = true
    const outcome = await call('journal.list', { limit: limit.value, name })
    if (mine !== latest) return
    loading.value = false
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    entries.value = merged(outcome.value, arrived)
    loaded.value = true
  }

  /**
   * Fetches as many entries as the journal gives.
   *
   * @param ofName a name whose unconfirmed creations are wanted, however old they are
   */
  async function loadOlder(ofName = name): Promise<void> {
    name = ofName
    limit.value = mostEntries
    await load()
  }

  return { entries, shown, filter, loading, loaded, failure, mayHaveOlder, load, loadOlder }
})

const failedStates: readonly string[] = [
  'not-created',
  'refused',
  'unclear',
  'failed',
  'unsettled',
  'interrupted',
]

/** Whether an entry belongs to what a filter shows; an unclear creation is both a creation and a failure. */
export function passes(entry: JournalEntry, filter: ActivityFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}

/** `entries` with what events said since put in place of those of the same identifier, and before them what is new. */
function merged(entries: JournalEntry[], arrived: JournalEntry[]): JournalEntry[] {
  const changed = new Map(arrived.map((entry) => [entry.id, entry]))
  const inPlace = entries.map((entry) => changed.get(entry.id) ?? entry)
  for (const { id } of entries) changed.delete(id)
  return [...[...changed.values()].reverse(), ...inPlace]
}
