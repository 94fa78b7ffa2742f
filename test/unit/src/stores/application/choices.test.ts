import { nextTick } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let choices: ReturnType<typeof useChoicesStore>

beforeEach(() => {
  bridge = startApp().bridge
  choices = useChoicesStore()
})

const savedList = {
  data: 'cached',
  sort: { by: 'name', descending: false },
  pageSize: 20,
  statuses: ['UNUSED', 'UNKNOWN'],
  deploymentType: 'prod',
  remoteReconciled: 'yes',
}

async function start(lists: object): Promise<void> {
  const starting = choices.start()
  await bridge.calls.at(-1)?.answer({ refreshSeconds: 5, lists })
  await starting
}

const saved = () => bridge.calls.filter(({ name }) => name === 'choices.save').at(-1)?.input

it('shows the list of each environment as it was left, without what was typed', async () => {
  await start({ a: savedList })
  const list = useDeploymentsStore()
  const cached = useCachedDeploymentsStore()
  expect(list.filters).toMatchObject({ statuses: ['UNUSED', 'UNKNOWN'], deploymentType: 'prod', name: '' })
  expect(list.pageSize).toBe(20)
  expect([cached.chosen, cached.sort]).toEqual(['cached', { by: 'name', descending: false }])
  expect(choices.refreshSeconds).toBe(5)

  useAppStore().state = appState('b')
  expect([list.filters.statuses, list.pageSize, cached.chosen]).toEqual([[], 50, null])
})

it('keeps filters, page size, data and order of the environment in which they were chosen', async () => {
  await start({ b: savedList })
  const list = useDeploymentsStore()
  const cached = useCachedDeploymentsStore()
  list.filter({ statuses: ['READY'], name: 'a name' })
  list.setPageSize(10)
  cached.choose('cached')
  cached.setSort({ by: 'status', descending: true })
  await nextTick()
  expect(saved()).toEqual({
    refreshSeconds: 5,
    lists: {
      b: savedList,
      a: {
        data: 'cached',
        sort: { by: 'status', descending: true },
        pageSize: 10,
        statuses: ['READY'],
        deploymentType: null,
        remoteReconciled: null,
        rollingOut: false,
        hasLastFilters: false,
      },
    },
  })
  expect(JSON.stringify(saved())).not.toContain('a name')
})
