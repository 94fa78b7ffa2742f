import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleIntegrationId } from '@contract'
import { runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { temporaryFolder } from '../../support/service/service-process'
import { send } from '../client'

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

const repositoriesOf = (id: string) =>
  send<unknown>(`${service.url}/v1/integrations/forge/repohost/${id}/repos`)

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
  const before = (await repositoriesOf(sampleIntegrationId)).body
  const integration = randomUUID()
  const first = [repository(integration, 2), repository(integration, 1)]
  const { code, stdout } = await importFile(first)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${integration}\n` })
  expect((await repositoriesOf(integration)).body).toEqual([first[1], first[0]])

  const second = [repository(integration, 3), repository(integration, 2, 'renamed')]
  expect((await importFile(second)).code).toBe(0)
  expect((await repositoriesOf(integration.toUpperCase())).body).toEqual([second[1], second[0]])
  expect((await repositoriesOf(sampleIntegrationId)).body).toEqual(before)
  const { stdout: audit } = await runCommand(service.data, 'audit')
  expect(audit).toContain(`"action":"repositories import","name":null,"id":"${integration}"`)
})

it("a service's answer can be imported into another, and into the same service again", async () => {
  const { body } = await repositoriesOf(sampleIntegrationId)
  expect((await importFile(body)).code).toBe(0)
  expect((await repositoriesOf(sampleIntegrationId)).body).toEqual(body)
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
  const before = (await repositoriesOf(sampleIntegrationId)).body
  const { code, stderr, stdout } = await importFile(content)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(reason)
  expect(stderr).toContain('Nothing was imported')
  expect((await repositoriesOf(sampleIntegrationId)).body).toEqual(before)
})

it('a missing file is named', async () => {
  const { code, stderr } = await runCommand(service.data, 'repositories', 'import', join(folder, 'none.json'))
  expect(code).toBe(1)
  expect(stderr).toContain('none.json')
})
