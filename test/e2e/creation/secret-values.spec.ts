import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addEnvironment, call, secretHeader } from '../support/bridge'
import { openSection, sections } from '../support/page/deployments'
import { alone, expect, test } from '../support/fixtures'
import { anyDeployment, json, StubService } from '../support/services/stub-service'

// The most verbose level.
alone.beforeAll(() => (process.env['SLIPWAY_LOG_LEVEL'] = 'debug'))
alone.afterAll(() => delete process.env['SLIPWAY_LOG_LEVEL'])

const secret = 'value-of-a-secret-7f3a'

/** A value of a secret, which must not appear anywhere. */
const nowhere = new RegExp(secret)

/** What must not appear in failures and in the log: that, and the header that was sent. */
const notInFailures = new RegExp(`${secret}|${secretHeader}`)

/** Where a service may put values of secrets, and which of their names may be shown. */
const telling = {
  ...anyDeployment(1),
  id: '00000000-0000-4000-8000-000000000001',
  name: 'telling',
  secrets: { AT_THE_TOP: secret },
  Secrets: [{ name: 'IN_CAPITALS', value: secret }],
  source_config: {
    repo_url: 'https://git.example.com/team/app',
    secrets: [[{ name: 'IN_A_LIST', value: secret }]],
    resource_spec: {
      cpu: 1,
      secrets: secret,
      labels: { inner: { secrets: [{ name: 'DEEP', value: secret }] } },
      sidecars: [{ name: 'proxy', env: [{ name: 'IN_A_VARIABLE', value: secret }] }],
      annotations: {
        applied: JSON.stringify({ containers: [{ env: [{ name: 'APPLIED', value: secret }] }] }),
      },
    },
  },
  source_revision_config: { repo_ref: 'main', env_secrets: { IN_REVISION: secret } },
  secret_references: [{ name: 'REF', secret_name: 'app', secret_key: 'key', value: secret }],
  revisions: [[{ spec: [{ secrets: [{ name: 'IN_REVISIONS', value: secret, plain: secret }] }] }]],
  applied: JSON.stringify({ secrets: [{ name: 'IN_A_TEXT', value: secret }] }),
  client_secret: secret,
  image_version: `built with ${secretHeader}`,
}

alone(
  'no value of a secret that a service answers, wherever it stands, leaves the main process, nor a header in a failure',
  async ({ slipway, page, app, userData }) => {
    test.setTimeout(120_000)
    slipway.expectErrors(/Failed to load resource/)
    const listed = json({ resources: [telling], offset: 1 })
    const service = await StubService.start(listed)
    const environmentId = await addEnvironment(page, 'Telling', service.baseUrl)
    await page.getByRole('table', { name: 'Deployments' }).getByRole('link', { name: 'telling' }).click()
    await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
    const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
    await expect.poll(clipboard).toContain('"name": "telling"')
    const copied = await clipboard()
    expect(copied).not.toMatch(nowhere)
    for (const name of ['AT_THE_TOP', 'IN_CAPITALS', 'DEEP', 'IN_REVISION', 'IN_REVISIONS', 'IN_A_TEXT']) {
      expect(copied, 'names stay').toContain(name)
    }
    await expect(page.getByRole('list', { name: 'Secrets, by name' })).toContainText('AT_THE_TOP')
    for (const section of sections) {
      await openSection(page, section)
      expect(await page.content(), section).not.toMatch(nowhere)
    }

    const deployment = { environmentId, id: telling.id }
    const query = { limit: 20, offset: 0 }
    const live = [
      await call(page, 'deployments.get', deployment),
      await call(page, 'deployments.page', { environmentId, query }),
    ]
    service.answer = json({ detail: JSON.stringify(telling) }, 400)
    const refused = await call(page, 'deployments.page', { environmentId, query })
    await service.close()
    const cached = await call(page, 'deployments.get', deployment)
    expect(cached).toMatchObject({ ok: true, value: { fromCache: {}, deployment: { name: 'telling' } } })
    expect(JSON.stringify([live, cached])).not.toMatch(nowhere)
    expect(JSON.stringify(refused)).not.toMatch(notInFailures)

    await slipway.close()
    const logs = join(userData, 'logs')
    for (const file of readdirSync(logs))
      expect(readFileSync(join(logs, file), 'utf8')).not.toMatch(notInFailures)
    expect(slipway.output).not.toMatch(notInFailures)
  },
)

test('values that were sent are in no failure, page or journal, and a check of a connection changes no answers', async ({
  slipway,
  page,
}) => {
  await test.step('no value of a secret that a creation sent is in its failure, on the page or in the journal', async () => {
    slipway.expectErrors(/Failed to load resource/)
    // With letters that no random identifier contains.
    const sent = 'sent/with a creation xqzw'
    const service = await StubService.start(json({ resources: [], offset: 0 }))
    const environmentId = await addEnvironment(page, 'Echoing', service.baseUrl)
    const list = service.answer
    const refusal = json({ detail: `rejected: ${sent}, and once more ${sent}` }, 403)
    service.answer = (query, response, headers) =>
      (response.req.method === 'POST' ? refusal : list)(query, response, headers)
    const created = await call(page, 'deployments.create', {
      environmentId,
      request: {
        name: 'echoed',
        source: 'internal_docker',
        source_config: {},
        source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        secrets: [{ name: 'S', value: sent }],
      },
      confirmedName: null,
    })
    expect(created).toMatchObject({
      ok: false,
      failure: { serviceWords: 'rejected: •••, and once more •••' },
    })
    const journal = JSON.stringify(await call(page, 'journal.list', { limit: 5 }))
    expect(journal).toContain('rejected: •••')
    expect(journal).not.toMatch(/xqzw/)
    await service.close()
  })
  await test.step('a check of a connection removes nothing from the answers to environments', async () => {
    const listed = anyDeployment(1)
    const service = await StubService.start(json({ resources: [listed], offset: 0 }))
    const environmentId = await addEnvironment(page, 'Checked', service.baseUrl)
    const list = () => call(page, 'deployments.page', { environmentId, query: { limit: 20, offset: 0 } })
    const before = await list()
    expect(before).toMatchObject({ value: { deployments: [{ id: listed['id'], name: 'stub-1' }] } })
    await call(page, 'environments.check', {
      id: null,
      name: 'Draft',
      baseUrl: service.baseUrl,
      mode: 'cloud',
      colour: 'teal',
      protected: false,
      headers: [
        { name: 'X-Key', value: '{"resources":[{"' },
        { name: 'X-Token', value: String(listed['id']) },
        { name: 'X-Secret', value: 'https://git.example.com/team/app' },
      ],
      integrations: [],
    })
    const after = await list()
    expect(after).toMatchObject({ value: { deployments: [{ id: listed['id'], name: 'stub-1' }] } })
    await service.close()
  })
})
