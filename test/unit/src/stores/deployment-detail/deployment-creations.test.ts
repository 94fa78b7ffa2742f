import { type CreationEntry, type Lookup } from '@contract'
import { expect, it } from 'vitest'
import { useDeploymentCreationsStore } from '@/stores/deployment-detail/deployment-creations'
import { creationEntry } from '../../../../support/builders/creation-entry'
import { startApp } from '../../../../support/page/start-app'

const attempt = (id: string, more: Partial<CreationEntry>): CreationEntry => creationEntry({ id, ...more })

const lookup = (verdict: Lookup['verdict'], ...ids: [string, ...string[]]): Lookup => {
  const [deployment, ...others] = ids.map((id) => ({ id, createdAt: null, status: 'READY' }))
  return {
    at: '2026-11-21T10:00:02.000Z',
    verdict,
    deployment: deployment ?? null,
    others,
    differences: [],
    reason: null,
  }
}

it('has the attempts that created a deployment, and unconfirmed ones that may have', async () => {
  const { bridge } = startApp()
  const store = useDeploymentCreationsStore()
  void store.load()
  const request = bridge.calls.find(({ name }) => name === 'journal.list')!
  expect(request.input).toMatchObject({ filter: 'creations' })
  await request.answer([
    attempt('created', { deploymentId: 'd' }),
    attempt('of another', { deploymentId: 'e' }),
    attempt('elsewhere', { deploymentId: 'd', environmentId: 'b' }),
    attempt('at another service', { deploymentId: 'd', sentTo: null }),
    attempt('may have', { state: 'unclear', lookup: lookup('cannot-tell', 'x', 'd') }),
    attempt('has not', { state: 'unclear', lookup: lookup('not-found', 'other') }),
    attempt('dismissed', { state: 'dismissed', lookup: lookup('different', 'd') }),
    attempt('refused', { state: 'refused', lookup: lookup('different', 'd') }),
  ])
  expect(store.of('d').map(({ id }) => id)).toEqual(['created', 'may have'])
})

it('follows attempts that begin or settle while they are shown', async () => {
  const { bridge } = startApp()
  const store = useDeploymentCreationsStore()
  void store.load()
  const unclear = attempt('one', { state: 'unclear', lookup: lookup('cannot-tell', 'd') })
  await bridge.calls.find(({ name }) => name === 'journal.list')!.answer([unclear])
  bridge.emit('journal.changed', { ...unclear, state: 'created', deploymentId: 'd' })
  bridge.emit('journal.changed', attempt('two', { deploymentId: 'd' }))
  expect(store.of('d').map(({ id, state }) => [id, state])).toEqual([
    ['two', 'created'],
    ['one', 'created'],
  ])
})
