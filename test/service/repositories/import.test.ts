import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleIntegrationId } from '@contract'
import { runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { temporaryFolder } from '../../support/service/service-process'
import { creation, type ErrorBody, expectRefused, list, post, send } from '../../support/service/client'
import { repositoriesOf, type Repository } from '../../support/service/folders'

let service: ServiceHere
let folder: string

beforeAll(async () => {
  folder = temporaryFolder()
  service = await startService({ sample: 3 })
})
afterAll(async () => {
  await service.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const answerFor = (id: string) => send(`${service.url}/v1/integrations/forge/repohost/${id}/repos`)

function fileWith(content: unknown): string {
  const file = join(folder, `${randomUUID()}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const importFile = (content: unknown) => runCommand(service.data, 'repositories', 'import', fileWith(content))

const repository = (integration: string, id: number, name = `agent-${id}`) => ({
  host_integration_id: integration,
  id,
  name,
  owner: 'northwind',
  url: `https://git.example/northwind/${name}`,
  default_branch: 'main',
})

it('an imported file replaces its integrations, and keeps the others', async () => {
  const before = (await answerFor(sampleIntegrationId)).body
  const integration = randomUUID()
  const first = [repository(integration, 2), repository(integration, 1)]
  const { code, stdout } = await importFile(first)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${integration}\n` })
  expect((await answerFor(integration)).body).toEqual([first[1], first[0]])

  const second = [repository(integration, 3), repository(integration, 2, 'renamed')]
  expect((await importFile(second)).code).toBe(0)
  expect((await answerFor(integration.toUpperCase())).body).toEqual([second[1], second[0]])
  expect((await answerFor(sampleIntegrationId)).body).toEqual(before)
  const { body: listed } = await send(`${service.url}/v1/integrations/forge/repohost/install`)
  expect(listed).toContainEqual({ id: integration, installation_id: expect.any(Number), name: 'northwind' })
  expect(listed).toContainEqual(expect.objectContaining({ id: sampleIntegrationId }))
  const { stdout: audit } = await runCommand(service.data, 'audit')
  expect(audit).toContain(`"action":"repositories import","name":null,"id":"${integration}"`)
})

it('an unknown integration is not found, and one that is no UUID is refused', async () => {
  const other = randomUUID()
  await expectRefused(answerFor(other), 404, other)
  expect(await answerFor('main')).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['path', 'integration_id'], type: 'uuid_parsing' }] },
  })
})

it("a service's answer can be imported into another, and into the same service again", async () => {
  const { body } = await answerFor(sampleIntegrationId)
  expect((await importFile(body)).code).toBe(0)
  expect((await answerFor(sampleIntegrationId)).body).toEqual(body)
})

it.each([
  ['no JSON', '[{', "isn't JSON"],
  ['no list', {}, 'The list'],
  ['an empty list', [], 'The list'],
  ['an integration that is no UUID', [repository('one', 1)], '0.host_integration_id'],
  ['a member too many', [{ ...repository(randomUUID(), 1), token: 'secret-4711' }], 'token'],
  ['a blank branch', [{ ...repository(randomUUID(), 1), default_branch: ' ' }], '0.default_branch'],
  [
    'one id twice',
    [repository(sampleIntegrationId, 1), repository(sampleIntegrationId, 1, 'other')],
    'two repositories with one id',
  ],
])('a file with %s changes nothing, and the message says why', async (_what, content, reason) => {
  const before = (await answerFor(sampleIntegrationId)).body
  const { code, stderr, stdout } = await importFile(content)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(reason)
  expect(stderr).toContain('Nothing was imported')
  expect((await answerFor(sampleIntegrationId)).body).toEqual(before)
})

it('a missing file is named', async () => {
  const { code, stderr } = await runCommand(service.data, 'repositories', 'import', join(folder, 'none.json'))
  expect(code).toBe(1)
  expect(stderr).toContain('none.json')
})

describe('with --check-repositories', () => {
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
      await expectRefused(post(checking.url, from(known.host_integration_id, url, ref)), 400, field)
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
})
