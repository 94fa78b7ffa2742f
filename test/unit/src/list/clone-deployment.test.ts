import { deploymentSchema } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'
import { cloneDeployment } from '@/features/deployment/clone'
import { deed } from '@/app/window'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { useDeploymentStore } from '@/features/deployment/deployment'
import { deploymentDetail, summaryOf } from '../../../support/builders/deployment-answers'
import { type FakeBridge, type PendingCall, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const push = vi.fn()
const router = { currentRoute: { value: { fullPath: '/deployments' } }, push } as unknown as Router

let bridge: FakeBridge
beforeEach(() => {
  bridge = startApp().bridge
  push.mockReset()
})

const reads = (): PendingCall[] => bridge.callsOf('deployments.get')
const detailOf = (id: string, shortened = false) =>
  deploymentDetail(deploymentSchema.parse(summaryOf(id, { source: 'external_docker' })), { shortened })

it('does nothing if it was cancelled, or the operator moved on to another deployment', async () => {
  const cancelled = cloneDeployment('1', router)
  await reads()[0]!.fail({ code: 'cancelled' })
  await cancelled
  const left = cloneDeployment('1', router)
  void useDeploymentStore().open('2')
  await reads()[1]!.answer(detailOf('1'))
  await left
  await settled()
  expect(push).not.toHaveBeenCalled()
})

it('lets the operator choose the name where the other environment leads to the same service', async () => {
  const app = useAppStore()
  const [from, to] = app.environments
  const cloning = cloneDeployment('1', router, { ...to!, profile: from!.profile })
  await reads()[0]!.answer(detailOf('1'))
  await bridge.newest('environments.select').answer(null)
  await cloning
  const { draft, notes } = useDraftsStore().currentDraft(useDraftsStore().forms.get('b')!)
  expect(draft.entered.name).toBe('')
  expect(JSON.stringify(notes)).toContain('Choose a new one')
})

it('opens the form where only the choice of the environment could not be stored', async () => {
  const app = useAppStore()
  const cloning = cloneDeployment('1', router, app.environments[1])
  await reads()[0]!.answer(detailOf('1'))
  app.state = { ...app.state!, currentEnvironmentId: 'b' }
  await bridge.newest('environments.select').fail({ message: 'The disk is full.' })
  await cloning
  expect(push.mock.calls).toEqual([['/new']])
  expect(deed.value).toContain('The disk is full.')
})

it('leaves the operator where they went while the other environment was being opened', async () => {
  const app = useAppStore()
  const cloning = cloneDeployment('1', router, app.environments[1])
  await reads()[0]!.answer(detailOf('1'))
  const switching = bridge.newest('environments.select')
  void app.select('a')
  await switching.answer(null)
  await cloning
  expect(push).not.toHaveBeenCalled()
})
