import type { CallInput, CallOutput, DeploymentSummary, Outcome, RepositoryList } from '@contract'
import { collator } from '@contract/core/order'
import type { FormChoices } from '@contract/life/choices'
import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useSyncStore } from '@/app/stores/sync'
import { useDeploymentsStore } from '@/features/list/deployments'
import { wordSearch } from '@/ui/format/words'
import { useResource } from '@/app/stores/resource'

type Row = Pick<DeploymentSummary, 'id' | 'source' | 'integration_id' | 'repo_url' | 'repo_ref'>

/** How many cached deployments are looked through, the most recently updated first. */
const cachedAtMost = 1_000
const cachedAtOnce = 200

/** How many deployments are read for their listener: most environments have few listeners. */
const maxRead = 5

/** The identifier of an integration. */
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const sorted = (texts: Iterable<string>): string[] => [...texts].sort(collator.compare)

/**
 * What the current environment's deployments may run from and in, for suggestions: from the profile, from deployments of
 * the live list and of the cache, which is there offline, and from what the service lists. The session remembers it for
 * each account.
 */
export const useSourcesStore = defineStore('sources', () => {
  const app = useAppStore()
  const deployments = useDeploymentsStore()
  const sync = useSyncStore()
  /** The deployments that were seen, by account and identifier. */
  const seen = shallowReactive(new Map<string | null, ReadonlyMap<string, Row>>())
  const rows = computed(() => [...(seen.get(app.accountKey)?.values() ?? [])])
  /** What was read once, by account and `what`. */
  const known = shallowReactive(new Map<string, unknown>())
  const loading = new Set<string>()

  const keyOf = (what: string): string => `${app.accountKey} ${what}`
  const read = <T>(what: string): T | undefined => known.get(keyOf(what)) as T | undefined

  /** Reads something of the current environment once. After a failure, a later call tries again. */
  async function once<T>(what: string, make: (environmentId: string) => Promise<Outcome<T>>): Promise<void> {
    const { accountKey, currentEnvironmentId } = app
    const key = keyOf(what)
    if (currentEnvironmentId === null || accountKey === null || known.has(key) || loading.has(key)) return
    loading.add(key)
    const outcome = await make(currentEnvironmentId)
    loading.delete(key)
    if (outcome.ok) known.set(key, outcome.value)
  }

  function note(deployments: readonly Row[]): void {
    const more = deployments.map((one) => [one.id, one] as const)
    seen.set(app.accountKey, new Map([...(seen.get(app.accountKey) ?? []), ...more]))
  }

  async function readCache(): Promise<void> {
    const { accountKey, currentEnvironmentId: environmentId } = app
    if (environmentId === null) return
    const query = { sort: { by: 'updated_at', descending: true } } as const
    let snapshot: string | null = null
    for (let offset = 0, total = cachedAtMost; offset < total; offset += cachedAtOnce) {
      const request: CallInput<'cache.page'>['request'] = { query, offset, limit: cachedAtOnce, snapshot }
      const page = await call('cache.page', { environmentId, request })
      if (accountKey !== app.accountKey || !page.ok) return
      note(page.value.deployments)
      snapshot = page.value.snapshot
      total = Math.min(cachedAtMost, page.value.total)
    }
  }

  watch([() => app.accountKey, () => sync.ended], () => void readCache(), { immediate: true })
  watch(
    () => deployments.live.page,
    (page) => {
      if (page?.environmentId === app.currentEnvironmentId) note(page.deployments)
    },
    { immediate: true },
  )

  const choices = computed(() => read<FormChoices>('choices'))
  const integrations = computed(() => [
    ...new Set([
      ...(app.environment?.profile?.integrations ?? []),
      ...rows.value.flatMap(({ integration_id: id }) => id ?? []),
      ...(choices.value?.integrations ?? []).map(({ id }) => id),
    ]),
  ])
  /** The operator's nickname of an integration, or the name that the service gives it; null if there is none. */
  const integrationName = (id: string): string | null =>
    app.nicknameOfIntegration(id) ?? choices.value?.integrations.find((one) => one.id === id)?.name ?? null

  const listingOf = (integrationId: string): string => `repositories of ${integrationId.trim().toLowerCase()}`
  const listing = (integrationId: string): RepositoryList | null =>
    read<RepositoryList>(listingOf(integrationId)) ?? null
  const listed = (integrationId: string): RepositoryList['repositories'] =>
    listing(integrationId)?.repositories ?? []

  /** The URLs of an integration's repositories, then those that deployments run from. */
  function repositoryUrls(integrationId: string): string[] {
    const own = listed(integrationId).flatMap(({ url }) => url ?? [])
    return [...new Set([...sorted(own), ...sorted(rows.value.flatMap(({ repo_url: url }) => url ?? []))])]
  }

  const runningFrom = (url: string): Row[] => rows.value.filter(({ repo_url }) => repo_url === url)

  /** The default branch of a repository, then the refs that deployments run from it. */
  function refs(integrationId: string, url: string): string[] {
    const own = listed(integrationId).filter((one) => one.url === url)
    const branches = own.flatMap(({ default_branch }) => default_branch ?? [])
    return [...new Set([...branches, ...sorted(runningFrom(url).flatMap(({ repo_ref: ref }) => ref ?? []))])]
  }

  /** Lists the repositories of an integration. If the service is out of reach, the cache answers. */
  async function list(integrationId: string): Promise<void> {
    const id = integrationId.trim()
    if (!uuid.test(id)) return
    await once(listingOf(id), (environmentId) =>
      call('repositories.list', { environmentId, integrationId: id }, { quiet: true }),
    )
  }

  /** Takes in repositories that the Repositories screen listed. */
  function noteListing(listing: RepositoryList): void {
    known.set(keyOf(listingOf(listing.integrationId)), listing)
  }

  const getOf = (environmentId: string, id: string) =>
    call('deployments.get', { environmentId, id }, { quiet: true })

  /** The config path of a deployment that runs from a repository; null while none is known. */
  const configPath = (url: string): string | null =>
    read<CallOutput<'deployments.get'>>(`a deployment of ${url}`)?.deployment.source_revision_config
      .graph_config_path ?? null

  /** Reads a deployment of a repository for its config path: listings don't have it. */
  async function readConfigPath(url: string): Promise<void> {
    const [one] = runningFrom(url)
    if (one) await once(`a deployment of ${url}`, (environmentId) => getOf(environmentId, one.id))
  }

  /** Reads what the service lists for the form. */
  const readChoices = (): Promise<void> =>
    once('choices', (environmentId) => call('life.choices', { environmentId, id: rows.value[0]?.id ?? null }))

  /** The namespaces of each listener that the service lists, or that deployments run in. */
  const namespacesOf = computed(() => {
    const all = new Map((choices.value?.listeners ?? []).map((one) => [one.id, new Set(one.namespaces)]))
    for (const id of inListenersRead()) {
      const { listener_id: listener, listener_config: config } =
        read<CallOutput<'deployments.get'>>(`deployment ${id}`)?.deployment.source_config ?? {}
      if (!listener) continue
      const own = all.get(listener) ?? new Set<string>()
      all.set(listener, config?.k8s_namespace ? own.add(config.k8s_namespace) : own)
    }
    return all
  })
  const inListenersRead = (): string[] =>
    rows.value
      .filter(({ source }) => source === 'external_docker')
      .slice(0, maxRead)
      .map(({ id }) => id)
  const listenerIds = (): string[] => [...namespacesOf.value.keys()]

  /** The namespaces of a listener, or of all where none or an unknown one is entered. */
  function namespaces(listenerId: string): string[] {
    const own = namespacesOf.value.get(listenerId)
    return sorted(new Set((own ? [own] : [...namespacesOf.value.values()]).flatMap((all) => [...all])))
  }

  /** Reads a few deployments for their listeners, which listings don't have, and those that the service lists. */
  async function readListeners(): Promise<void> {
    await Promise.all([
      readChoices(),
      ...inListenersRead().map((id) => once(`deployment ${id}`, (environmentId) => getOf(environmentId, id))),
    ])
  }

  return {
    integrations,
    integrationName,
    readChoices,
    repositoryUrls,
    refs,
    list,
    listing,
    noteListing,
    configPath,
    readConfigPath,
    listenerIds,
    namespaces,
    readListeners,
  }
})

/**
 * The repositories of an integration of the current environment. The session remembers for each account which one was
 * chosen, and its listing.
 */
export const useRepositoriesStore = defineStore('repositories', () => {
  const app = useAppStore()
  const sources = useSourcesStore()
  const integrationId = ref<string | null>(null)
  const search = ref('')
  const remembered = new Map<string | null, { id: string | null; text: string }>()
  /** Null until it is listed. */
  const list = computed(() => sources.listing(integrationId.value ?? ''))
  const {
    value: answer,
    failure,
    loading,
    load: read,
  } = useResource<RepositoryList>(
    () => integrationId.value && `${app.accountKey} ${integrationId.value}`,
    (signal) =>
      call(
        'repositories.list',
        { environmentId: app.currentEnvironmentId!, integrationId: integrationId.value! },
        { signal },
      ),
  )

  /** The repositories whose name, owner, URL and branch contain every word of the search. */
  const found = computed(() => {
    const matches = wordSearch(search.value)
    return (list.value?.repositories ?? []).filter(({ name, owner, url, default_branch }) =>
      matches([name, owner, url, default_branch].join(' ')),
    )
  })

  /** Lists the repositories of the chosen integration (interface: List repositories). */
  async function load(): Promise<void> {
    // One press may choose an integration and ask for its list.
    if (!loading.value) await read()
    if (answer.value) sources.noteListing(answer.value)
  }

  watch(
    () => app.accountKey,
    (now, before) => {
      remembered.set(before, { id: integrationId.value, text: search.value })
      const { id = null, text = '' } = remembered.get(now) ?? {}
      integrationId.value = id
      search.value = text
    },
    { flush: 'sync' },
  )

  return { integrationId, list, search, failure, loading, found, load }
})
