import {
  type CreationEntry,
  type Failure,
  isUnconfirmed,
  type JournalEntry,
  type JournalFilter,
  type Outcome,
  passesFilter,
} from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import { useAppStore } from './app'
import { useNoticesStore } from './notices'

/** How many entries are loaded at first, and at most, which is the journal's own limit. */
export const firstEntries = 200
export const mostEntries = 1000

/** When the page was loaded, in milliseconds since 1970. */
const pageStart = performance.timeOrigin

/**
 * The local journal, newest first. It has its own order, which does not depend on the clock. Events bring new and changed
 * entries as long as the window lives, so that nothing is missed while another screen is open.
 */
export const useActivityStore = defineStore('activity', () => {
  const entries = shallowRef<JournalEntry[]>([])
  const loading = ref(false)
  const wasLoaded = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const filter = ref<JournalFilter>('all')
  /** Entries that pass the filter, however old; null until they are loaded, and without a filter. */
  const listed = shallowRef<JournalEntry[] | null>(null)
  const limit = ref(firstEntries)
  /** What each creation's environment led to when the creation was first seen, and whether it was sent there for certain. */
  const places = shallowReactive(new Map<string, { accountKey: string; isCertain: boolean }>())
  /** Entries that came as events while a list was loading, which may not be in that list. */
  let arrived: JournalEntry[] = []
  let latest = 0
  /** A name whose unconfirmed creations are loaded too, however old they are. */
  let name: string | null = null

  /** The entries that pass the filter, latest start first. */
  const shown = computed(() =>
    passing(listed.value ?? entries.value).sort((a, b) => b.startedAt.localeCompare(a.startedAt)),
  )
  /** Whether the entries for the filter have been loaded. */
  const loaded = computed(() => wasLoaded.value && (filter.value === 'all' || listed.value !== null))
  const mayHaveOlder = computed(
    () => limit.value < mostEntries && (listed.value ?? entries.value).length >= limit.value,
  )

  const passing = (all: readonly JournalEntry[]): JournalEntry[] =>
    all.filter((entry) => passesFilter(entry, filter.value))

  const app = useAppStore()

  /**
   * Notes what an environment leads to while one of its creations is being sent, or was just settled by a lookup
   * there. Other creations, such as those from before a restart, may have been sent elsewhere.
   */
  function notePlace(entry: JournalEntry): void {
    if (entry.kind !== 'creation') return
    const { id, environmentId, state } = entry
    const isCertain = state === 'sending' || (environmentId === app.currentEnvironmentId && isFoundNow(entry))
    if (places.get(id)?.isCertain || (places.has(id) && !isCertain)) return
    places.set(id, { accountKey: app.accountKeyOf(environmentId), isCertain })
  }

  /** Whether a creation's environment may lead to where it was sent: false once it was edited to lead elsewhere. */
  const mayBeAtService = ({ id, environmentId }: CreationEntry): boolean => {
    const place = places.get(id)
    return !place || place.accountKey === app.accountKeyOf(environmentId)
  }

  /** Whether a creation's environment leads to where it was sent; null where that isn't known. */
  const isAtService = (entry: CreationEntry): boolean | null =>
    mayBeAtService(entry) ? places.get(entry.id)?.isCertain || null : false

  on('journal.changed', (entry) => {
    notePlace(entry)
    if (loading.value) arrived.push(entry)
    if (listed.value) listed.value = passing(merged(listed.value, [entry])).slice(0, mostEntries)
    entries.value = merged(entries.value, [entry]).filter(
      (one, at) => at < mostEntries || (one.kind === 'creation' && isUnconfirmed(one)),
    )
  })

  const notices = useNoticesStore()
  // Entries that couldn't be read may be readable now.
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

  /** Loads the newest entries again. The ones shown stay until the answer comes, and if it fails. */
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
    for (const entry of entries.value) notePlace(entry)
    listed.value = some && passing(merged(some.value, arrived))
    wasLoaded.value = true
  }

  /**
   * Loads as many entries as the journal gives.
   *
   * @param ofName a name whose unconfirmed creations are loaded too, however old they are
   */
  async function loadOlder(ofName = name): Promise<void> {
    name = ofName
    limit.value = mostEntries
    await load()
  }

  return {
    entries,
    shown,
    filter,
    loading,
    loaded,
    failure,
    mayHaveOlder,
    mayBeAtService,
    isAtService,
    load,
    loadOlder,
  }
})

/** Whether a lookup, or the operator after one, settled a creation since the page was loaded. */
const isFoundNow = ({ state, lookup }: CreationEntry): boolean =>
  state === 'created' && lookup !== null && Date.parse(lookup.at) >= pageStart

const failureOf = (outcome: Outcome<unknown> | null): Failure | null =>
  outcome === null || outcome.ok ? null : outcome.failure

/** Replaces entries by those that came as events since, and puts new ones first. */
function merged(entries: JournalEntry[], arrived: JournalEntry[]): JournalEntry[] {
  const changed = new Map(arrived.map((entry) => [entry.id, entry]))
  const replaced = entries.map((entry) => changed.get(entry.id) ?? entry)
  for (const { id } of entries) changed.delete(id)
  return [...[...changed.values()].reverse(), ...replaced]
}
