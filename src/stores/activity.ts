import {
  type Failure,
  isUnconfirmed,
  type JournalEntry,
  type JournalFilter,
  type Outcome,
  passesFilter,
} from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import { useNoticesStore } from './notices'

/** How many entries are fetched at first, and at most (the journal gives no more). */
export const firstEntries = 200
export const mostEntries = 1000

/**
 * The local journal, newest first in its own order, whatever the clock said. Entries that change or begin while the screen is open come as events; the store
 * listens as long as the window lives, so that nothing is missed between two visits of the screen.
 */
export const useActivityStore = defineStore('activity', () => {
  const entries = shallowRef<JournalEntry[]>([])
  const loading = ref(false)
  const wasLoaded = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const filter = ref<JournalFilter>('all')
  /** What passes the filter, however much else came after it; null until that was listed, and where all is shown. */
  const listed = shallowRef<JournalEntry[] | null>(null)
  const limit = ref(firstEntries)
  /** What events said while a list was under way, which that list may not hold yet. */
  let arrived: JournalEntry[] = []
  let latest = 0
  /** The name whose unconfirmed creations are fetched besides. */
  let name: string | null = null

  /** What the filter shows, by when it began. */
  const shown = computed(() =>
    passing(listed.value ?? entries.value).sort((a, b) => b.startedAt.localeCompare(a.startedAt)),
  )
  /** Whether what is shown is all there is of it, as far as that was fetched. */
  const loaded = computed(() => wasLoaded.value && (filter.value === 'all' || listed.value !== null))
  const mayHaveOlder = computed(
    () => limit.value < mostEntries && (listed.value ?? entries.value).length >= limit.value,
  )

  const passing = (all: readonly JournalEntry[]): JournalEntry[] =>
    all.filter((entry) => passesFilter(entry, filter.value))

  on('journal.changed', (entry) => {
    if (loading.value) arrived.push(entry)
    if (listed.value) listed.value = passing(merged(listed.value, [entry])).slice(0, mostEntries)
    entries.value = merged(entries.value, [entry]).filter(
      (one, at) => at < mostEntries || (one.kind === 'creation' && isUnconfirmed(one)),
    )
  })

  const notices = useNoticesStore()
  // What could not be read may be there now.
  watch(
    () => notices.journal,
    () => {
      if (wasLoaded.value || loading.value) void load()
    },
  )
  watch(filter, () => {
    listed.value = null
    if (wasLoaded.value || loading.value) void load()
  })

  /** Fetches the newest entries again. What is shown stays until the answer is there, also when it fails. */
  async function load(): Promise<void> {
    const mine = ++latest
    arrived = []
    loading.value = true
    const [all, some] = await Promise.all([
      call('journal.list', { limit: limit.value, name }),
      filter.value === 'all' ? null : call('journal.list', { limit: limit.value, filter: filter.value }),
    ])
    if (mine !== latest) return
    loading.value = false
    failure.value = failureOf(all) ?? failureOf(some)
    if (!all.ok || some?.ok === false) return
    entries.value = merged(all.value, arrived)
    listed.value = some && passing(merged(some.value, arrived))
    wasLoaded.value = true
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

const failureOf = (outcome: Outcome<unknown> | null): Failure | null =>
  outcome === null || outcome.ok ? null : outcome.failure

/** `entries` with what events said since put in place of those of the same identifier, and before them what is new. */
function merged(entries: JournalEntry[], arrived: JournalEntry[]): JournalEntry[] {
  const changed = new Map(arrived.map((entry) => [entry.id, entry]))
  const inPlace = entries.map((entry) => changed.get(entry.id) ?? entry)
  for (const { id } of entries) changed.delete(id)
  return [...[...changed.values()].reverse(), ...inPlace]
}
