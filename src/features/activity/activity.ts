import {
  type CreationEntry,
  type Failure,
  isUnconfirmed,
  type JournalEntry,
  type JournalFilter,
  type Outcome,
  passesFilter,
} from '@contract'
import { useThrottleFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useNoticesStore } from '@/app/stores/notices'

/** How many entries are loaded at first, and at most, which is the journal's own limit. */
const firstEntries = 200
export const maxEntries = 1000

/** The shortest time between two changes that events make, in milliseconds: a frame of most screens. */
const frameMs = 16

/**
 * The local journal, newest first. It has its own order, which does not depend on the clock. Events bring new and
 * changed entries as long as the window lives, so that nothing is missed while another screen is open.
 */
export const useActivityStore = defineStore('activity', () => {
  /** The newest entries, and those that pass the filter, however old. */
  const entries = shallowRef<JournalEntry[]>([])
  const loading = ref(false)
  /** Whether the entries for the filter have been loaded. */
  const loaded = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const filter = ref<JournalFilter>('all')
  const limit = ref(firstEntries)
  const mayHaveOlder = ref(false)
  /** Entries that came as events and aren't taken in yet. */
  let waiting: JournalEntry[] = []
  let latest = 0
  /** A name whose unconfirmed creations are loaded too, however old they are. */
  let name: string | null = null

  /** The entries that pass the filter, latest start first. */
  const shown = computed(() =>
    entries.value
      .filter((entry) => passesFilter(entry, filter.value))
      // As plain texts: comparing by the rules of a language takes many times as long.
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0)),
  )

  const app = useAppStore()

  /**
   * Whether a creation's environment leads to where it was sent, as far as the main process said; null where that isn't
   * known. An edit of the environment makes it false until the entries are loaded again.
   */
  const isAtService = ({ environmentId, sentTo }: CreationEntry): boolean | null => {
    if (sentTo === undefined) return null
    return sentTo !== null && sentTo === app.environmentOf(environmentId)?.service
  }

  /** Whether what a creation found or created can be opened now: its environment is the current one and leads there. */
  const canOpen = (entry: CreationEntry): boolean =>
    entry.environmentId === app.currentEnvironmentId && isAtService(entry) === true

  on('journal.changed', (entry) => {
    waiting.push(entry)
    void takeInSoon()
  })

  /**
   * Takes in what events brought since the last time: what came during a load may not be in its list. An event does it
   * at once, and those that follow within a frame wait for its end: many lookups at once bring hundreds. A timer does
   * it, since a hidden window has no frames.
   */
  function takeIn(): void {
    if (waiting.length === 0 || loading.value) return
    entries.value = merged(entries.value, waiting).filter(
      (one, at) => at < 2 * maxEntries || (one.kind === 'creation' && isUnconfirmed(one)),
    )
    waiting = []
  }
  const takeInSoon = useThrottleFn(takeIn, frameMs, true)

  const notices = useNoticesStore()
  // Entries that couldn't be read may be readable now.
  watch(() => notices.journal, reload)
  // What an environment leads to was edited, or is known now.
  watch(() => app.environments.map(({ id, service }) => JSON.stringify([id, service])).join(), reload)
  watch(filter, (now) => {
    loaded.value &&= now === 'all'
    void load()
  })

  function reload(): void {
    if (loaded.value || loading.value) void load()
  }

  /** Loads the newest entries again. The ones shown stay until the answer comes, and if it fails. */
  async function load(): Promise<void> {
    const mine = ++latest
    loading.value = true
    const [all, some] = await Promise.all([
      call('journal.list', { limit: limit.value, name }),
      filter.value === 'all' ? null : call('journal.list', { limit: limit.value, filter: filter.value }),
    ])
    if (mine !== latest) return
    loading.value = false
    failure.value = failureOf(all) ?? failureOf(some)
    if (all.ok && some?.ok !== false) {
      const passing = some?.value ?? all.value
      const known = new Set(all.value.map(({ id }) => id))
      entries.value = [...all.value, ...passing.filter(({ id }) => !known.has(id))]
      mayHaveOlder.value = limit.value < maxEntries && passing.length >= limit.value
      loaded.value = true
    }
    takeIn()
  }

  /**
   * Loads as many entries as the journal gives.
   *
   * @param ofName a name whose unconfirmed creations are loaded too, however old they are
   */
  async function loadOlder(ofName = name): Promise<void> {
    name = ofName
    limit.value = maxEntries
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
    isAtService,
    canOpen,
    load,
    loadOlder,
  }
})

const failureOf = (outcome: Outcome<unknown> | null): Failure | null =>
  outcome === null || outcome.ok ? null : outcome.failure

/** Replaces entries by those that came as events since, and puts new ones first. */
function merged(entries: JournalEntry[], arrived: JournalEntry[]): JournalEntry[] {
  const changed = new Map(arrived.map((entry) => [entry.id, entry]))
  const replaced = entries.map((entry) => changed.get(entry.id) ?? entry)
  for (const { id } of entries) changed.delete(id)
  return [...[...changed.values()].reverse(), ...replaced]
}
