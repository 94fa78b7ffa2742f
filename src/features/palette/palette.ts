import type { CachedPage, CachedSummary } from '@contract/cache'
import { commandIds } from '@contract/app/shortcuts'
import type { RecentChoice } from '@contract/app/personal'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { choiceOf, commandEntry, deploymentEntry, environmentEntry, type RecentEntry } from '@/app/commands'
import { useAppStore } from '@/app/stores/app'
import { useCommandsStore } from '@/app/stores/commands'
import type { Failure } from '@contract'

/** How many entries of a session are remembered. */
const maxRecents = 20

/** An entry that was chosen, and its account: another account may not have it. */
interface ChosenEntry {
  entry: RecentEntry
  accountKey: string | null
}

/** The latest choices in the command palette, in this session and before. The main process stores them. */
export const useRecentsStore = defineStore('recents', () => {
  const app = useAppStore()
  const commands = useCommandsStore()

  /** The latest first. */
  const chosen = shallowRef<readonly ChosenEntry[]>([])
  /** The current account's entries of earlier sessions, the latest first. */
  const earlier = shallowRef<readonly ChosenEntry[]>([])
  /** The account of `earlier`; null before it is read. */
  let loadedFor: string | null = null

  /** Earlier choices that still exist, the latest first. */
  const recent = computed<RecentEntry[]>(() => {
    const available = commands.available()
    const entries = [...chosen.value, ...earlier.value].flatMap(({ entry, accountKey }): RecentEntry[] => {
      if (entry.kind === 'command') return available.includes(entry.id) ? [entry] : []
      if (entry.kind === 'deployment') return accountKey === app.accountKey ? [entry] : []
      const environment = app.environmentOf(entry.environment.id)
      return environment && environment.id !== app.currentEnvironmentId ? [environmentEntry(environment)] : []
    })
    return entries.filter(({ key }, index) => entries.findIndex((one) => one.key === key) === index)
  })

  /** Loads the choices of earlier sessions once. */
  async function load(): Promise<void> {
    const { currentEnvironmentId: environmentId, accountKey } = app
    if (environmentId === null || loadedFor === accountKey) return
    loadedFor = accountKey
    const outcome = await call('recents.list', { environmentId })
    const choices = outcome.ok ? outcome.value : []
    const deployments = await cachedOf(environmentId, choices)
    if (loadedFor !== accountKey) return
    const isCurrent = accountKey === app.accountKey
    // A failed read is repeated the next time.
    if (!isCurrent || !outcome.ok || deployments === null) loadedFor = null
    if (!isCurrent) return
    earlier.value = choices.flatMap((choice) => {
      const entry = entryOf(choice, deployments ?? [])
      return entry ? [{ entry, accountKey }] : []
    })
  }

  /** The cached deployments among choices; null if they can't be read. */
  async function cachedOf(
    environmentId: string,
    choices: readonly RecentChoice[],
  ): Promise<CachedSummary[] | null> {
    const ids = choices.filter(({ kind }) => kind === 'deployment').map(({ id }) => id)
    if (ids.length === 0) return []
    const request = { query: { filters: { ids } }, offset: 0, limit: ids.length, snapshot: null }
    const outcome = await call('cache.page', { environmentId, request })
    return outcome.ok ? outcome.value.deployments : null
  }

  /** The entry of a choice; null if it no longer exists. */
  function entryOf({ kind, id }: RecentChoice, deployments: readonly CachedSummary[]): RecentEntry | null {
    if (kind === 'command') {
      const known = commandIds.find((command) => command === id)
      return known ? commandEntry(known) : null
    }
    if (kind === 'environment') {
      const environment = app.environmentOf(id)
      return environment ? environmentEntry(environment) : null
    }
    const deployment = deployments.find((one) => one.id === id)
    return deployment && deployment.gone_at === null ? deploymentEntry(deployment) : null
  }

  /** Remembers a choice. */
  function remember(entry: RecentEntry): void {
    const { currentEnvironmentId: environmentId, environment } = app
    const others = chosen.value.filter((one) => one.entry.key !== entry.key)
    chosen.value = [{ entry, accountKey: app.accountKey }, ...others].slice(0, maxRecents)
    if (environmentId === null) return
    const service = environment?.service ?? null
    void call('recents.add', { environmentId, service, choice: choiceOf(entry) })
  }

  return { recent, load, remember }
})

/** How many cached deployments a search reads: enough to rank the best of them first. */
const limit = 50

/** The longest text that is searched for, in characters: as much as the cache takes. */
export const longestPaletteText = 200

/** The command palette: whether it is shown, and what the cache has for its text. */
export const usePaletteStore = defineStore('palette', () => {
  const app = useAppStore()
  const recents = useRecentsStore()

  const shown = ref(false)
  /** The cache's last answer; null before the first, and without a text. */
  const page = shallowRef<CachedPage | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const searching = ref(false)

  let wanted: string | null = null
  /** The deployments whose notes or labels match a text. */
  let notedOf: (text: string) => string[] = () => []
  /** Counts openings: answers to earlier ones no longer count. */
  let opening = 0

  function open(): void {
    opening += 1
    shown.value = true
    page.value = null
    failure.value = null
    searching.value = false
    wanted = null
    void recents.load()
  }

  function close(): void {
    opening += 1
    shown.value = false
    wanted = null
  }

  /**
   * Searches the cache for a text. One search runs at a time, and then the one for the latest text: otherwise
   * searches would queue up there when the operator types faster than the cache answers.
   *
   * @param noted gives the deployments whose notes or labels match a text
   */
  function search(text: string, noted: typeof notedOf = () => []): void {
    notedOf = noted
    wanted = text.trim()
    if (wanted === '') {
      page.value = null
      failure.value = null
    }
    if (!searching.value) void searchOn(opening)
  }

  /** Whether the text was removed meanwhile. */
  const isEmptied = (): boolean => wanted === ''

  /** The text to search for next; null where there is none. */
  function takeWanted(): string | null {
    const text = wanted
    wanted = null
    return text === '' ? null : text
  }

  async function searchOn(own: number): Promise<void> {
    for (let text = takeWanted(); text !== null; text = takeWanted()) {
      const { currentEnvironmentId: environmentId, accountKey } = app
      if (environmentId === null) break
      searching.value = true
      const query = { search: text, noted: notedOf(text), sort: { by: 'name' as const, descending: false } }
      const request = { query, offset: 0, limit, snapshot: null }
      const outcome = await call('cache.page', { environmentId, request })
      if (own !== opening) return
      if (isEmptied() || accountKey !== app.accountKey) continue
      page.value = outcome.ok ? outcome.value : null
      failure.value = outcome.ok ? null : outcome.failure
    }
    searching.value = false
  }

  watch(
    () => app.accountKey,
    () => {
      page.value = null
      failure.value = null
    },
    { flush: 'sync' },
  )

  return { shown, page, failure, searching, open, close, search }
})
