import { calls } from '@contract'
import { expect, it } from 'vitest'
import { createRequestHandler } from '../../../../electron/cache/request-handler'
import { answered, pageBody } from '../../../support/builders/cached-deployments'

const environmentId = 'e'
const span = { sentAt: 1_000, receivedAt: 2_000 }
const fetchedAt = new Date(span.receivedAt).toISOString()

/** A cache in memory, with two deployments and a list of repositories. */
async function filled() {
  const caches = createRequestHandler(() => Promise.resolve())
  const key = '0'.repeat(64)
  await caches.answer({ op: 'open', environmentId, file: null, key, service: 's', setAside: false })
  const body = pageBody([answered(1), answered(2)])
  await caches.answer({ op: 'write-page', environmentId, body, span, run: null })
  const repository = {
    id: 7,
    name: 'app',
    owner: 'team',
    url: 'https://git.example/app',
    default_branch: 'main',
  }
  const repositories = Buffer.from(
    JSON.stringify([{ ...repository, host_integration_id: 'i' }, { id: 'none' }]),
  )
  await caches.answer({
    ...{ op: 'write-repositories', environmentId, integrationId: 'i' },
    ...{ body: repositories, span },
  })
  const valueOf = async (request: Parameters<typeof caches.answer>[0]): Promise<unknown> => {
    const answer = await caches.answer(request)
    return answer.ok ? JSON.parse(answer.text) : answer
  }
  return { caches, valueOf }
}

it('writes a deployment as the page gets it, with the time at which it was found to be gone', async () => {
  const { caches, valueOf } = await filled()
  const id = String(answered(2).id)
  const ask = () => valueOf({ op: 'deployment', environmentId, id })
  const detail = calls['deployments.get'].output.parse(await ask())
  expect(detail).toMatchObject({
    environmentId,
    deployment: { id, name: answered(2).name },
    shortened: false,
    fetchedAt,
    fromCache: { goneAt: null },
  })
  expect(JSON.parse(detail.json)).toEqual({ ...answered(2), secrets: [{ name: 'TOKEN', value: '' }] })
  const later = { sentAt: 3_000, receivedAt: 4_000 }
  await caches.answer({ op: 'mark-gone', environmentId, ids: [id], span: later })
  expect(await ask()).toMatchObject({ fromCache: { goneAt: new Date(later.receivedAt).toISOString() } })
})

it('writes a deployment that the service does not have as gone since that answer, or since it was marked', async () => {
  const { caches, valueOf } = await filled()
  const id = String(answered(2).id)
  const missingAt = new Date(9_000).toISOString()
  const ask = () => valueOf({ op: 'deployment', environmentId, id, missingAt })
  const detail = calls['deployments.get'].output.parse(await ask())
  expect(detail).toMatchObject({ fetchedAt, fromCache: { goneAt: missingAt, missingAt } })
  await caches.answer({
    op: 'mark-gone',
    environmentId,
    ids: [id],
    span: { sentAt: 3_000, receivedAt: 4_000 },
  })
  expect(await ask()).toMatchObject({ fromCache: { goneAt: new Date(4_000).toISOString(), missingAt } })
  expect(await valueOf({ op: 'deployment', environmentId, id: 'none', missingAt })).toBeNull()
})

it('writes a list of repositories as the page gets it, with what could not be read', async () => {
  const { valueOf } = await filled()
  const list = await valueOf({ op: 'repositories', environmentId, integrationId: 'i' })
  expect(calls['repositories.list'].output.parse(list)).toMatchObject({
    environmentId,
    integrationId: 'i',
    repositories: [{ id: 7, name: 'app' }],
    unreadable: [{ index: 1 }],
    received: 2,
    fetchedAt,
    fromCache: true,
  })
})

it('writes null for what does not exist', async () => {
  const { valueOf } = await filled()
  expect(await valueOf({ op: 'deployment', environmentId, id: 'none' })).toBeNull()
  expect(await valueOf({ op: 'repositories', environmentId, integrationId: 'none' })).toBeNull()
})
