import { deploymentSchema, type DeploymentDetail, type DeploymentPage } from '@contract'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useDeploymentStore } from '@/stores/deployment-detail/deployment'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useSeenChangesStore } from '@/stores/deployment-detail/seen-changes'
import { deploymentDetail, deploymentPage } from '../../../../support/builders/deployment-answers'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let app: AppStore

beforeEach(() => {
  ;({ app } = startApp())
})

const time = (minute: number): string => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`

const detail = (more: object, minute: number): DeploymentDetail =>
  deploymentDetail(deploymentSchema.parse({ id: '1', name: 'one', status: 'READY', ...more }), {
    fetchedAt: time(minute),
  })

const page = (minute: number, ...deployments: DeploymentPage['deployments']): DeploymentPage =>
  deploymentPage(deployments, { fetchedAt: time(minute) })

it('notes what differs between two answers, of the list and of the page, and when each arrived', async () => {
  const list = useDeploymentsStore()
  const opened = useDeploymentStore()
  const store = useSeenChangesStore()
  list.page = page(1, summaryOf('1', { status: 'AWAITING_DATABASE', latest_revision_id: 'r1' }))
  await nextTick()
  expect(store.of('1')).toMatchObject({ firstAt: time(1), changes: [] })
  expect(store.of('2')).toBeNull()

  opened.detail = detail({ status: 'READY', latest_revision_id: 'r1', active_revision_id: 'r1' }, 3)
  await nextTick()
  opened.readAt = time(4)
  await nextTick()
  opened.detail = detail({ latest_revision_id: 'r2', active_revision_id: 'r1' }, 5)
  opened.readAt = time(5)
  await nextTick()
  expect(store.of('1')?.changes).toEqual([
    { member: 'status', before: 'AWAITING_DATABASE', after: 'READY', previousAt: time(1), at: time(3) },
    { member: 'active_revision_id', before: null, after: 'r1', previousAt: time(1), at: time(3) },
    { member: 'latest_revision_id', before: 'r1', after: 'r2', previousAt: time(4), at: time(5) },
  ])
  const { deployment } = opened.detail
  expect(store.since(deployment, 'latest_revision_id')).toBe(time(5))
  expect(store.since(deployment, 'active_revision_id')).toBe(time(3))
  // What is shown may be older than what was seen since.
  expect(store.since({ ...deployment, latest_revision_id: 'r1' }, 'latest_revision_id')).toBeNull()
})

it('notes nothing of an older answer, of a row that is gone, and of another environment', async () => {
  const list = useDeploymentsStore()
  const opened = useDeploymentStore()
  const store = useSeenChangesStore()
  list.page = page(5, summaryOf('1'))
  await nextTick()
  opened.detail = { ...detail({ status: 'UNUSED' }, 2), fromCache: { goneAt: null } }
  await nextTick()
  opened.detail = { ...detail({ status: 'UNUSED' }, 6), environmentId: 'b' }
  await nextTick()
  const gone = { ...summaryOf('1', { status: 'UNKNOWN' }), gone_at: time(7) }
  list.page = page(7, gone)
  await nextTick()
  expect(store.of('1')).toMatchObject({ lastAt: time(5), changes: [] })

  app.state = appState('b')
  expect(store.of('1')).toBeNull()
})
