import type { Repository } from '@contract'
import type { FormChoices } from '@contract/life/choices'
import { collator } from '@contract/core/order'
import { defineStore } from 'pinia'
import { computed, shallowReactive, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './application/app'
import { useRepositoriesStore } from './repositories'
import { useSeenSourcesStore } from './seen-sources'

/** How many deployments are read for their listener: most environments have few listeners. */
const maxRead = 5

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The form's suggestions for integration, repository, ref, listener and namespace in the current environment, from the
 * profile, listed repositories and listed deployments. Listings are kept for the session, by environment, account and
 * integration.
 */
export const useKnownSourcesStore = defineStore('known-sources', () => {
  const app = useAppStore()
  const seen = useSeenSourcesStore()
  const screen = useRepositoriesStore()
  const listings = shallowReactive(new Map<string, readonly Repository[]>())
  /** The config path that a deployment of a repository has, by account and the repository's URL. */
  const configPaths = shallowReactive(new Map<string, string | null>())
  /** The Kubernetes namespaces of each listener that deployments were read to run in, by account. */
  const listeners = shallowReactive(new Map<string, ReadonlyMap<string, ReadonlySet<string>>>())
  /** What the service lists, by account. */
  const choices = shallowReactive(new Map<string, FormChoices>())
  const loading = new Set<string>()

  const listed = computed(() => choices.get(app.accountKey ?? ''))
  const integrations = computed(() => [
    ...new Set([
      ...screen.integrations.map(({ id }) => id),
      ...(listed.value?.integrations ?? []).map(({ id }) => id),
    ]),
  ])
  /** The operator's nickname of an integration, or the name that the service gives it; null if there is none. */
  const integrationName = (id: string): string | null =>
    app.nicknameOfIntegration(id) ?? listed.value?.integrations.find((one) => one.id === id)?.name ?? null
  const keyOf = (integrationId: string): string => `${app.accountKey} ${integrationId.trim().toLowerCase()}`
  const repositoryKey = (url: string): string => `${app.accountKey} ${url}`

  /** The URLs of an integration's repositories, then those that deployments run from. */
  function repositoryUrls(integrationId: string): string[] {
    const listed = (listings.get(keyOf(integrationId)) ?? []).flatMap(({ url }) => url ?? [])
    const running = [...seen.current.repositories.keys()]
    return [...new Set([...listed.sort(collator.compare), ...running.sort(collator.compare)])]
  }

  /** The default branch of a repository, then the refs that deployments run from it. */
  function refs(integrationId: string, url: string): string[] {
    const listed = (listings.get(keyOf(integrationId)) ?? []).filter((one) => one.url === url)
    const branches = listed.flatMap(({ default_branch }) => default_branch ?? [])
    return [
      ...new Set([
        ...branches,
        ...[...(seen.current.repositories.get(url)?.refs ?? [])].sort(collator.compare),
      ]),
    ]
  }

  /**
   * Lists the repositories of an integration as suggestions, once. If the service is out of reach, the cache answers.
   * After a failure there are no suggestions, and the operator may enter anything.
   */
  async function list(integrationId: string): Promise<void> {
    const environmentId = app.currentEnvironmentId
    const key = keyOf(integrationId)
    if (environmentId === null || !uuid.test(integrationId.trim())) return
    if (listings.has(key) || loading.has(key)) return
    loading.add(key)
    const input = { environmentId, integrationId: integrationId.trim() }
    const outcome = await call('repositories.list', input, { quiet: true })
    loading.delete(key)
    if (outcome.ok) listings.set(key, outcome.value.repositories)
  }

  /** The config path of a deployment that runs from a repository; null while none is known. */
  const configPath = (url: string): string | null => configPaths.get(repositoryKey(url)) ?? null

  /**
   * Reads the config path of a deployment of a repository as a suggestion, once. Listings don't have it, and the
   * interface has no other source for a repository's usual path.
   */
  async function readConfigPath(url: string): Promise<void> {
    const environmentId = app.currentEnvironmentId
    const key = repositoryKey(url)
    const id = seen.current.repositories.get(url)?.deploymentId
    if (environmentId === null || id === undefined || configPaths.has(key) || loading.has(key)) return
    loading.add(key)
    const outcome = await call('deployments.get', { environmentId, id }, { quiet: true })
    loading.delete(key)
    if (outcome.ok) configPaths.set(key, outcome.value.deployment.source_revision_config.graph_config_path)
  }

  /** Lists what the service lists for the form, once. */
  async function readChoices(): Promise<void> {
    const { accountKey, currentEnvironmentId: environmentId } = app
    const key = `${accountKey} choices`
    if (environmentId === null || accountKey === null || choices.has(accountKey) || loading.has(key)) return
    loading.add(key)
    const id = seen.current.anyId
    const outcome = await call('life.choices', { environmentId, id }, { quiet: true })
    loading.delete(key)
    if (outcome.ok) choices.set(accountKey, outcome.value)
  }

  /** The namespaces of each listener that the service lists, or that deployments run in. */
  const namespacesOf = computed(() => {
    const all = new Map<string, ReadonlySet<string>>(
      (listed.value?.listeners ?? []).map((one) => [one.id, new Set(one.namespaces)]),
    )
    for (const [id, found] of listeners.get(app.accountKey ?? '') ?? []) {
      all.set(id, new Set([...(all.get(id) ?? []), ...found]))
    }
    return all
  })
  const listenerIds = (): string[] => [...namespacesOf.value.keys()]

  /** The namespaces of a listener, or of all where none or an unknown one is entered. */
  function namespaces(listenerId: string): string[] {
    const own = namespacesOf.value.get(listenerId)
    const found = own ? [own] : [...namespacesOf.value.values()]
    return [...new Set(found.flatMap((all) => [...all]))].sort(collator.compare)
  }

  /**
   * Reads the listeners of a few deployments as suggestions, once, and those that the service lists. Listings of
   * deployments don't have them, and the interface has no list of listeners.
   */
  async function readListeners(): Promise<void> {
    void readChoices()
    const { accountKey, currentEnvironmentId: environmentId } = app
    const key = `${accountKey} listeners`
    const ids = [...seen.current.inListeners].slice(0, maxRead)
    if (environmentId === null || accountKey === null || ids.length === 0) return
    if (listeners.has(accountKey) || loading.has(key)) return
    loading.add(key)
    const outcomes = await Promise.all(
      ids.map((id) => call('deployments.get', { environmentId, id }, { quiet: true })),
    )
    loading.delete(key)
    const known = new Map<string, Set<string>>()
    for (const outcome of outcomes) {
      if (!outcome.ok) continue
      const { listener_id: listener, listener_config: config } = outcome.value.deployment.source_config
      if (!listener) continue
      const own = known.get(listener) ?? new Set()
      known.set(listener, config?.k8s_namespace ? own.add(config.k8s_namespace) : own)
    }
    if (known.size > 0) listeners.set(accountKey, known)
  }

  watch(
    () => screen.list,
    (now) => {
      if (now && now.environmentId === app.currentEnvironmentId)
        listings.set(keyOf(now.integrationId), now.repositories)
    },
    { immediate: true },
  )
  return {
    integrations,
    integrationName,
    readChoices,
    repositoryUrls,
    refs,
    list,
    configPath,
    readConfigPath,
    listenerIds,
    namespaces,
    readListeners,
  }
})
