import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleIntegrationId } from '@contract'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { creation, type ErrorBody, list, post } from '../client'
import { type Repository, repositoriesOf } from './folders'

let checking: ServiceHere
let trusting: ServiceHere
let known: Repository

beforeAll(async () => {
  checking = await startService({ sample: 3, args: ['--check-repositories'] })
  trusting = await startService({ sample: 3 })
  known = (await repositoriesOf(checking.url, sampleIntegrationId))![0]!
})
afterAll(async () => {
  await checking.dispose()
  await trusting.dispose()
})

const from = (integration_id: string, repo_url: string, repo_ref: string) =>
  creation('repohost', {
    source_config: { integration_id, repo_url },
    source_revision_config: { repo_ref, graph_config_path: 'agent.json' },
  })

it('listed repositories and refs are accepted, and any ref of a repository without known refs', async () => {
  for (const ref of [known.default_branch, 'anything']) {
    const id = known.host_integration_id
    expect((await post(checking.url, from(id.toUpperCase(), known.url, ref))).status).toBe(201)
  }
})

it('an unknown integration or repository is refused with the name of its field, if the check is on', async () => {
  const names = async () => (await list(checking.url)).resources.map(({ name }) => name)
  const before = await names()
  const integration = from(randomUUID(), known.url, known.default_branch)
  const repository = from(known.host_integration_id, `${known.url}-2`, known.default_branch)
  for (const [body, field] of [
    [integration, 'source_config.integration_id: '],
    [repository, 'source_config.repo_url: '],
  ] as const) {
    const { status, body: answer } = await post<ErrorBody>(checking.url, body)
    expect(status).toBe(400)
    expect(answer.detail).toMatch(new RegExp(`^${field}`))
    expect((await post(trusting.url, body)).status).toBe(201)
  }
  expect(await names()).toEqual(before)
})

it('an impossible URL or ref is refused with the name of its field, too', async () => {
  for (const [url, ref, field] of [
    [`${known.url}\0`, 'main', 'repo_url'],
    [known.url, 'ma\0in', 'repo_ref'],
  ] as const) {
    const { status, body } = await post<ErrorBody>(checking.url, from(known.host_integration_id, url, ref))
    expect([status, body.detail]).toEqual([400, expect.stringContaining(field)])
  }
})

it('integrations belong to one tenant, and no other can create from them', async () => {
  const body = JSON.stringify(from(known.host_integration_id, known.url, known.default_branch))
  const headers = { 'content-type': 'application/json', 'x-tenant-id': randomUUID() }
  const { status, body: answer } = await post<ErrorBody>(checking.url, body, { headers })
  expect([status, answer.detail.split(':')[0]]).toEqual([400, 'source_config.integration_id'])
})

it('other sources have no repository to check', async () => {
  expect((await post(checking.url, creation('internal_source'))).status).toBe(201)
})
