import type { DeploymentPage } from '@contract'
import { beforeEach, expect, it } from 'vitest'
import { listStart, readListPage } from '@/features/list/readers'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { type FakeBridge, installFakeBridge } from '../../../support/page/fake-bridge'

let bridge: FakeBridge
beforeEach(() => {
  bridge = installFakeBridge()
})

const page = (...ids: string[]): DeploymentPage => deploymentPage(ids.map((id) => summaryOf(id)))

const request = (ids: readonly string[]) => ({
  environmentId: 'a',
  filters: { limit: 2, image_version: '1' },
  statuses: [],
  ids,
  signal: new AbortController().signal,
})

const queries = () => bridge.calls.map(({ input }) => input.query as { deployment_ids: string })

it('of some deployments, a page requests as many as it has rows, with the other filters', async () => {
  const first = readListPage(request(['1', '2', '3']), listStart)
  await bridge.calls[0]!.answer(page('2', '1'))
  expect(queries()[0]).toMatchObject({ deployment_ids: '1,2', offset: 0, image_version: '1' })
  const read = await first
  expect(read).toMatchObject({ ok: true, value: { offset: 0, next: { offset: 2 }, end: null } })
  const second = readListPage(request(['1', '2', '3']), read.ok ? read.value.next! : listStart)
  await bridge.calls[1]!.answer(page('3'))
  expect(queries()[1]).toMatchObject({ deployment_ids: '3' })
  expect(await second).toMatchObject({ ok: true, value: { offset: 2, end: 'short', next: null } })
})

it('continues past identifiers for which the service returns no deployment', async () => {
  const reading = readListPage(request(['1', '2', '3']), listStart)
  await bridge.calls[0]!.answer(page())
  await bridge.calls[1]!.answer(page('3'))
  const read = await reading
  expect(read.ok && read.value.deployments.map(({ id }) => id)).toEqual(['3'])
})
