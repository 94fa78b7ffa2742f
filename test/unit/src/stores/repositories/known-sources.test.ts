import { deploymentSchema, type DeploymentSummary, type Repository } from '@contract'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useKnownSourcesStore } from '@/stores/known-sources'
import { deploymentPage } from '../../../../support/builders/deployment-answers'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { startApp } from '../../../../support/page/start-app'

const integration = '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'

let bridge: FakeBridge

beforeEach(() => {
  bridge = startApp().bridge
})

const repository = (url: string, branch: string): Repository =>
  ({ id: url, name: url, owner: null, url, default_branch: branch }) as unknown as Repository

const lists = () => bridge.calls.filter(({ name }) => name === 'repositories.list')

const answered = (environmentId: string, repositories: Repository[]) => ({
  ...{ environmentId, integrationId: integration, repositories, unreadable: [], received: 1 },
  fetchedAt: '2026-11-21T00:00:00.000Z',
})

it('offers what cached deployments run, of the current environment only', async () => {
  const store = useKnownSourcesStore()
  const cachedRow = (id: string, ref: string) => ({
    ...summaryOf(id, { repo_url: 'https://git.example/cached', repo_ref: ref, integration_id: integration }),
    ...{ deployment_type: null, fetched_at: '2026-11-28T00:00:00.000Z', gone_at: null },
  })
  const page = { snapshot: 's', total: 201, offset: 0, unanswered: [], cache: {} }
  await bridge.newest('cache.page').answer({ ...page, deployments: [cachedRow('1', 'v10')] })
  expect(bridge.newest('cache.page').input).toMatchObject({ request: { offset: 200, snapshot: 's' } })
  await bridge.newest('cache.page').answer({ ...page, deployments: [cachedRow('2', 'v9')] })
  expect(bridge.callsOf('cache.page')).toHaveLength(2)
  expect(store.integrations).toContain(integration)
  expect(store.repositoryUrls('')).toEqual(['https://git.example/cached'])
  expect(store.refs('', 'https://git.example/cached')).toEqual(['v9', 'v10'])
  useAppStore().state = appState('b')
  expect(store.repositoryUrls('')).toEqual([])
})

it('offers what an integration has, then what deployments run, and requests a listing once', async () => {
  const store = useKnownSourcesStore()
  const deployments = useDeploymentsStore()
  const runs = (url: string, ref: string) => ({ id: ref, repo_url: url, repo_ref: ref }) as DeploymentSummary
  deployments.page = deploymentPage([
    runs('https://git.example/seen', 'v2'),
    runs('https://git.example/one', 'release'),
  ])
  await nextTick()
  const first = store.list(integration)
  void store.list(integration.toUpperCase())
  expect(lists()).toHaveLength(1)
  await lists()[0]!.answer(answered('a', [repository('https://git.example/one', 'main')]))
  await first
  expect(store.repositoryUrls(integration)).toEqual(['https://git.example/one', 'https://git.example/seen'])
  expect(store.refs(integration, 'https://git.example/one')).toEqual(['main', 'release'])
  expect(store.refs('', 'https://git.example/seen')).toEqual(['v2'])
  await store.list(integration)
  expect(lists()).toHaveLength(1)

  // Nothing of one environment is offered in another.
  useAppStore().state = appState('b')
  await nextTick()
  expect(store.repositoryUrls(integration)).toEqual([])
})

it('offers the config path that a deployment of the repository has, and requests it once', async () => {
  const store = useKnownSourcesStore()
  const url = 'https://git.example/one'
  const reads = () => bridge.calls.filter(({ name }) => name === 'deployments.get')
  await store.readConfigPath(url)
  expect(reads()).toHaveLength(0)

  useDeploymentsStore().page = {
    ...{ environmentId: 'a', offset: 0, received: 2, unreadable: [], nextOffset: null, end: 'short' },
    deployments: [summaryOf('newer', { repo_url: url }), summaryOf('older', { repo_url: url })],
    fetchedAt: '2026-11-21T00:00:00.000Z',
  }
  await nextTick()
  const read = store.readConfigPath(url)
  void store.readConfigPath(url)
  expect(reads().map(({ input }) => input)).toEqual([{ environmentId: 'a', id: 'newer' }])
  const deployment = deploymentSchema.parse({
    id: 'newer',
    name: 'newer',
    source_revision_config: { graph_config_path: 'agents.json' },
  })
  await reads()[0]!.answer({ environmentId: 'a', deployment, fetchedAt: '2026-11-21T00:00:00.000Z' })
  await read
  expect(store.configPath(url)).toBe('agents.json')
  await store.readConfigPath(url)
  expect(reads()).toHaveLength(1)

  useAppStore().state = appState('b')
  expect(store.configPath(url)).toBeNull()
})

it('offers the listeners and namespaces that a few deployments run in, and reads them once', async () => {
  const store = useKnownSourcesStore()
  const reads = () => bridge.calls.filter(({ name }) => name === 'deployments.get')
  await store.readListeners()
  expect(reads()).toHaveLength(0)

  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  useDeploymentsStore().page = deploymentPage([
    summaryOf('from-repository', { source: 'repohost' }),
    ...names.map((name) => summaryOf(name, { source: 'external_docker' })),
  ])
  await nextTick()
  const read = store.readListeners()
  void store.readListeners()
  expect(reads().map(({ input }) => (input as { id: string }).id)).toEqual(['a', 'b', 'c', 'd', 'e'])
  const answer = (index: number, listener: string | null, namespace: string | null) =>
    reads()[index]!.answer({
      environmentId: 'a',
      deployment: deploymentSchema.parse({
        id: names[index],
        name: names[index],
        source_config: { listener_id: listener, listener_config: { k8s_namespace: namespace } },
      }),
      fetchedAt: '2026-11-21T00:00:00.000Z',
    })
  await Promise.all([
    answer(0, 'east', 'agents'),
    answer(1, 'west', 'others'),
    answer(2, 'east', 'staging'),
    answer(3, null, null),
    reads()[4]!.fail({ message: 'Out of reach.' }),
  ])
  await read
  expect(store.listenerIds()).toEqual(['east', 'west'])
  expect(store.namespaces('east')).toEqual(['agents', 'staging'])
  expect(store.namespaces('')).toEqual(['agents', 'others', 'staging'])
  await store.readListeners()
  expect(reads()).toHaveLength(5)

  useAppStore().state = appState('b')
  expect(store.listenerIds()).toEqual([])
})

it('offers the integrations by name and the listeners with their namespaces that the service lists', async () => {
  const store = useKnownSourcesStore()
  void store.readChoices()
  void store.readChoices()
  expect(bridge.callsOf('life.choices')).toHaveLength(1)
  await bridge.newest('life.choices').answer({
    integrations: [{ id: integration, name: 'acme', namespaces: [] }],
    listeners: [{ id: 'l1', name: 'c1', namespaces: ['b', 'a'] }],
  })
  expect(store.integrations).toContain(integration)
  expect(store.integrationName(integration)).toBe('acme')
  expect(store.listenerIds()).toEqual(['l1'])
  expect(store.namespaces('l1')).toEqual(['a', 'b'])
})
