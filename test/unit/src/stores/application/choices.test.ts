import { nextTick } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { type FakeBridge } from '../../../../support/page/fake-bridge'
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

const saved = () => bridge.callsOf('choices.save').at(-1)?.input

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
