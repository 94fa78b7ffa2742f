import type { Repository } from '@contract'
import { defineStore } from 'pinia'
import { computed, shallowReactive, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useRepositoriesStore } from './repositories'

/** What deployments were seen to run from a repository. */
interface SeenRepository {
  refs: ReadonlySet<string>
  /** The first of them in the list. */
  deploymentId: string
}

/** What deployments of an environment were seen to run, by the repository's URL. */
type SeenRepositories = ReadonlyMap<string, SeenRepository>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * What the form offers for integration, repository and ref in the current environment: what the profile, listed
 * repositories and listed deployments have. Listings are kept for the session, by environment, account and integration.
 */
export const useKnownSourcesStore = defineStore('known-sources', () => {
  const app = useAppStore()
  const deployments = useDeploymentsStore()
  const screen = useRepositoriesStore()
  const listings = shallowReactive(new Map<string, readonly Repository[]>())
  const seen = shallowReactive(new Map<string, SeenRepositories>())
  /** The config path that a deployment of a repository has, by account and the repository's URL. */
  const configPaths = shallowReactive(new Map<string, string | null>())
  const loading = new Set<string>()

  const integrations = computed(() => screen.integrations.map(({ id }) => id))
  const keyOf = (integrationId: string): string => `${app.accountKey} ${integrationId.trim().toLowerCase()}`
  const repositoryKey = (url: string): string => `${app.accountKey} ${url}`
  const seenOf = (url: string): SeenRepository | undefined => seen.get(app.accountKey ?? '')?.get(url)

  /** The URLs of an integration's repositories, then those that deployments run from. */
  function repositoryUrls(integrationId: string): string[] {
    const listed = (listings.get(keyOf(integrationId)) ?? []).flatMap(({ url }) => url ?? [])
    return [...new Set([...listed, ...(seen.get(app.accountKey ?? '')?.keys() ?? [])])]
  }

  /** The default branch of a repository, then the refs that deployments run from it. */
  function refs(integrationId: string, url: string): string[] {
    const listed = (listings.get(keyOf(integrationId)) ?? []).filter((one) => one.url === url)
    const branches = listed.flatMap(({ default_branch }) => default_branch ?? [])
    return [...new Set([...branches, ...(seenOf(url)?.refs ?? [])])]
  }

  /**
   * Lists the repositories of an integration, for the form to offer, unless that was done before. The cache answers where
   * the service is out of reach. A failure is no more than nothing to offer: the operator may enter anything.
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
   * Reads the config path of a deployment that runs from a repository, for the form to offer, unless that was done before.
   * A listing has none, and nothing else of the interface says what is usual in a repository.
   */
  async function readConfigPath(url: string): Promise<void> {
    const environmentId = app.currentEnvironmentId
    const key = repositoryKey(url)
    const id = seenOf(url)?.deploymentId
    if (environmentId === null || id === undefined || configPaths.has(key) || loading.has(key)) return
    loading.add(key)
    const outcome = await call('deployments.get', { environmentId, id }, { quiet: true })
    loading.delete(key)
    if (outcome.ok) configPaths.set(key, outcome.value.deployment.source_revision_config.graph_config_path)
  }

  watch(
    () => screen.list,
    (now) => {
      if (now && now.environmentId === app.currentEnvironmentId)
        listings.set(keyOf(now.integrationId), now.repositories)
    },
    { immediate: true },
  )
  watch(
    () => deployments.page,
    (page) => {
      if (!page || app.accountKey === null || page.environmentId !== app.currentEnvironmentId) return
      const known = new Map(seen.get(app.accountKey))
      for (const { id, repo_url: url, repo_ref: ref } of page.deployments) {
        if (!url) continue
        const { refs = [], deploymentId = id } = known.get(url) ?? {}
        known.set(url, { refs: new Set([...refs, ...(ref ? [ref] : [])]), deploymentId })
      }
      seen.set(app.accountKey, known)
    },
    { immediate: true },
  )

  return { integrations, repositoryUrls, refs, list, configPath, readConfigPath }
})
