import { nextTick } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import { useChoicesStore } from '@/app/stores/choices'
import { useDeploymentsStore } from '@/features/list/deployments'
import { type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let choices: ReturnType<typeof useChoicesStore>

beforeEach(() => {
  bridge = startApp().bridge
  choices = useChoicesStore()
})

const savedList = {
  source: 'cached',
  sort: { by: 'name', descending: false },
  size: 20,
  filters: {
    rollingOut: false,
    statuses: ['UNUSED', 'UNKNOWN'],
    deploymentType: 'prod',
    remoteReconciled: 'yes',
  },
  hasPrivateFilters: false,
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
  list.filter({ statuses: ['READY'], name: 'a name' })
  list.pageSize = 10
  list.choose('cached')
  list.setSort({ by: 'status', descending: true })
  await nextTick()
  expect(saved()).toMatchObject({
    refreshSeconds: 5,
    lists: {
      b: savedList,
      a: {
        source: 'cached',
        sort: { by: 'status', descending: true },
        size: 10,
        filters: { rollingOut: false, statuses: ['READY'], deploymentType: null, remoteReconciled: null },
        hasPrivateFilters: false,
      },
    },
  })
  expect(JSON.stringify(saved())).not.toContain('a name')
})
