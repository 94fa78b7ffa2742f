import type { CachedSummary } from '@contract/cache'
import { commandIds } from '@contract/app/shortcuts'
import type { RecentChoice } from '@contract/app/personal'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call } from '@/app/api'
import { choiceOf, commandEntry, deploymentEntry, environmentEntry, type RecentEntry } from '@/app/commands'
import { useAppStore } from '@/app/stores/app'
import { useCommandsStore } from '@/app/stores/commands'

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
