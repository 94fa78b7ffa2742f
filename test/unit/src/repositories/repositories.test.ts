import type { DeploymentSummary, Repository } from '@contract'
import { describe, beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useRepositoriesStore, useSourcesStore } from '@/features/repositories/sources'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { showPage, startApp } from '../../../support/page/start-app'

describe('what is offered', () => {
  const integration = '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'

  let bridge: FakeBridge

  beforeEach(() => {
    bridge = startApp().bridge
  })

  const repository = (url: string, branch: string): Repository =>
    ({ id: url, name: url, owner: null, url, default_branch: branch }) as unknown as Repository

  const lists = () => bridge.callsOf('repositories.list')

  const answered = (environmentId: string, repositories: Repository[]) => ({
    ...{ environmentId, integrationId: integration, repositories, unreadable: [], received: 1 },
    fetchedAt: '2026-11-21T00:00:00.000Z',
  })

  it('offers what cached deployments run, of the current environment only', async () => {
    const store = useSourcesStore()
    const cachedRow = (id: string, ref: string) => ({
      ...summaryOf(id, {
        repo_url: 'https://git.example/cached',
        repo_ref: ref,
        integration_id: integration,
      }),
      ...{ deployment_type: null, fetched_at: '2026-11-28T00:00:00.000Z', gone_at: null },
    })
    const page = { snapshot: 's', total: 201, offset: 0, cache: {} }
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
    const store = useSourcesStore()
    const runs = (url: string, ref: string) =>
      ({ id: ref, repo_url: url, repo_ref: ref }) as DeploymentSummary
    const rows = [runs('https://git.example/seen', 'v2'), runs('https://git.example/one', 'release')]
    await showPage(bridge, deploymentPage(rows))
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

  it('offers the integrations by name and the listeners with their namespaces that the service lists', async () => {
    const store = useSourcesStore()
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
})

describe('the listing', () => {
  it('lists an integration once, however often it is asked for meanwhile', () => {
    const { bridge } = startApp()
    const store = useRepositoriesStore()
    store.integrationId = 'one'
    void store.load()
    void store.load()
    expect(bridge.callsOf('repositories.list')).toHaveLength(1)
    store.integrationId = 'two'
    void store.load()
    expect(bridge.callsOf('repositories.list').map(({ cancelled }) => cancelled)).toEqual([true, false])
  })
})
