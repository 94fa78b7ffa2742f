import type { CallInput, DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './application/app'
import { useSyncStore } from './application/sync'
import { useDeploymentsStore } from './deployment-list/deployments'

/** What deployments of a repository showed. */
interface SeenRepository {
  refs: ReadonlySet<string>
  /** One of those deployments, whose config path is suggested. */
  deploymentId: string
}

/** What the deployments of an account run from and in. */
interface SeenSources {
  integrations: ReadonlySet<string>
  /** By URL. */
  repositories: ReadonlyMap<string, SeenRepository>
  /** The identifiers of deployments that run in a listener. */
  inListeners: ReadonlySet<string>
  /** The identifier of any deployment; null without one. */
  anyId: string | null
}

const nothing: SeenSources = {
  integrations: new Set(),
  repositories: new Map(),
  inListeners: new Set(),
  anyId: null,
}

/** How many cached deployments are looked through, the most recently updated first. */
const cachedAtMost = 1_000
const cachedAtOnce = 200

type Row = Pick<DeploymentSummary, 'id' | 'source' | 'integration_id' | 'repo_url' | 'repo_ref'>

/**
 * What the current environment's deployments run from: those of the live list, and of the cache, which has more of them
 * and is there offline. The session remembers it for each account.
 */
export const useSeenSourcesStore = defineStore('seen-sources', () => {
  const app = useAppStore()
  const deployments = useDeploymentsStore()
  const sync = useSyncStore()
  const current = shallowRef(nothing)
  const remembered = new Map<string, SeenSources>()

  function note(rows: readonly Row[]): void {
    const integrations = new Set(current.value.integrations)
    const repositories = new Map(current.value.repositories)
    const inListeners = new Set(current.value.inListeners)
    for (const { id, source, integration_id: integration, repo_url: url, repo_ref: ref } of rows) {
      if (integration) integrations.add(integration)
      if (source === 'external_docker') inListeners.add(id)
      if (!url) continue
      const { refs = [], deploymentId = id } = repositories.get(url) ?? {}
      repositories.set(url, { refs: new Set([...refs, ...(ref ? [ref] : [])]), deploymentId })
    }
    current.value = {
      integrations,
      repositories,
      inListeners,
      anyId: current.value.anyId ?? rows[0]?.id ?? null,
    }
    if (app.accountKey !== null) remembered.set(app.accountKey, current.value)
  }

  async function readCache(): Promise<void> {
    const { accountKey, currentEnvironmentId: environmentId } = app
    if (environmentId === null) return
    const query = { sort: { by: 'updated_at', descending: true } } as const
    let snapshot: string | null = null
    for (let offset = 0, total = cachedAtMost; offset < total; offset += cachedAtOnce) {
      const request: CallInput<'cache.page'>['request'] = { query, offset, limit: cachedAtOnce, snapshot }
      const page = await call('cache.page', { environmentId, request }, { quiet: true })
      if (accountKey !== app.accountKey || !page.ok) return
      note(page.value.deployments)
      snapshot = page.value.snapshot
      total = Math.min(cachedAtMost, page.value.total)
    }
  }

  watch(
    () => app.accountKey,
    (key) => {
      current.value = (key === null ? undefined : remembered.get(key)) ?? nothing
    },
    { flush: 'sync', immediate: true },
  )
  watch([() => app.accountKey, () => sync.ended], () => void readCache(), { immediate: true })
  watch(
    () => deployments.page,
    (page) => {
      if (page?.environmentId === app.currentEnvironmentId) note(page.deployments)
    },
    { immediate: true },
  )

  return { current }
})
