import { fail, type Failure, failure, succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { JsonText } from '../../../../../../electron/main/processes/answers/json-text'
import type { Cache } from '../../../../../../electron/main/processes/cache-client'
import type { Deployments } from '../../../../../../electron/main/features/deployments'
import { noSuchDeployment } from '../../../../../../electron/main/features/deployments/list/page'
import { withFallback } from '../../../../../../electron/main/features/offline/fallback'

const { signal } = new AbortController()

/** Parts whose service fails, and a cache that returns this text. */
function served(reason: Failure, text: string) {
  const cached = succeed(new JsonText<null>(text))
  const askText = vi.fn(() => Promise.resolve(cached))
  const failing = () => Promise.resolve(fail(reason))
  const parts = { deployments: { get: failing } as unknown as Deployments, repositories: { list: failing } }
  const { deployments, repositories } = withFallback(parts, { askText } as unknown as Pick<Cache, 'askText'>)
  return {
    askText,
    cached,
    get: () => deployments.get({ environmentId: 'e', id: 'd' }, signal),
    list: () => repositories.list({ environmentId: 'e', integrationId: 'i' }, signal),
  }
}

const offline = failure('offline', 'Nothing answers.', { sent: 'no' })

it('passes the text of the cache process on unchanged while the service is unreachable', async () => {
  const { askText, cached, get, list } = served(offline, '{ "id":  "d" }')
  const outcomes = [await get(), await list()]
  for (const outcome of outcomes) expect(outcome).toEqual(cached)
  expect(askText.mock.calls).toEqual([
    ['e', 'deployment', { id: 'd' }],
    ['e', 'repositories', { integrationId: 'i' }],
  ])
})

it('returns the failure if the cache has nothing', async () => {
  const { get, list } = served(offline, 'null')
  expect([await get(), await list()]).toEqual([fail(offline), fail(offline)])
})

it('never asks the cache if the service has answered', async () => {
  const refused = failure('forbidden', 'No.', { sent: 'answered', status: 403 })
  const { askText, get } = served(refused, '{}')
  expect(await get()).toEqual(fail(refused))
  expect(askText).not.toHaveBeenCalled()
})

it('returns the cached data of a deployment that the service no longer has, with when that was noticed', async () => {
  const { askText, cached, get } = served(noSuchDeployment, '{ "id":  "d" }')
  expect(await get()).toEqual(cached)
  expect(askText.mock.calls).toEqual([
    ['e', 'deployment', { id: 'd', missingAt: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
  ])
  expect(await served(noSuchDeployment, 'null').get()).toEqual(fail(noSuchDeployment))
})

it('does not report a deployment as gone because one answer lacked it', async () => {
  const lacking = { ...noSuchDeployment, message: "The service's answer doesn't have this deployment." }
  const { askText, get } = served(lacking, '{}')
  expect(await get()).toEqual(fail(lacking))
  expect(askText).not.toHaveBeenCalled()
})
