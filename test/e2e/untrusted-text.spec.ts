import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addEnvironment } from './support/bridge'
import { expect, test } from './support/fixtures'
import { json, StubService } from './support/stub-service'

/** Texts that would do harm, or freeze the window, if they were shown as they are. */
const hostile = {
  script: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  turned: 'invoice\u202egpj.exe\u2066\u0007\u001b[31m',
  endless: 'endless '.repeat(131_072),
}

const megabyte = hostile.endless.length
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/ // eslint-disable-line no-control-regex

function deployment(name: string, number: number): object {
  return {
    name,
    source: name,
    source_config: {
      repo_url: name,
      install_command: name,
      resource_spec: { labels: { [name.slice(0, 80)]: name } },
    },
    source_revision_config: { repo_ref: name, graph_config_path: name },
    secrets: [{ name, value: '' }],
    secret_references: [{ name, secret_name: name, secret_key: name }],
    id: `00000000-0000-4000-8000-00000000000${number}`,
    tenant_id: '00000000-0000-4000-8000-0000000000ff',
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-01T00:00:00Z',
    status: name,
    latest_revision_id: null,
    active_revision_id: null,
    image_version: name,
  }
}

const all = Object.values(hostile).map(deployment)

let server: Server
let baseUrl: string

test.beforeAll(async () => {
  server = createServer((request, response) => {
    const wanted = new URL(request.url ?? '', 'http://localhost').searchParams.get('deployment_ids')
    const resources = wanted ? all.filter((one) => JSON.stringify(one).includes(wanted)) : all
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ resources, offset: resources.length }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

test.afterAll(() => void server.close())

test('shows script, turned and endless texts of a service harmlessly, and stays quick', async ({ page }) => {
  test.slow()
  const table = page.getByRole('table', { name: 'Deployments' })
  await expect(table.getByRole('link').first()).toBeVisible()

  await page.evaluate(async (baseUrl) => {
    const draft = {
      id: null,
      name: 'Hostile',
      baseUrl,
      mode: 'cloud',
      colour: 'red',
      protected: false,
      headers: [],
      integrations: [],
    }
    const saved = JSON.parse(await window.slipway.calls['environments.save']('save', draft)) as {
      value: { id: string }
    }
    await window.slipway.calls['environments.select']('select', { id: saved.value.id })
  }, baseUrl)

  await expect(table.getByRole('link')).toHaveCount(all.length)
  const look = async (where: string) => {
    const { text, title, images, frameMs } = await page.evaluate(async () => {
      // Layout of the whole page once more, and the time until the next frame after it.
      const started = performance.now()
      document.body.style.width = 'calc(100% - 1px)'
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      document.body.style.width = ''
      return {
        text: document.body.innerText + document.title,
        title: document.title,
        images: document.querySelectorAll('img, main script').length,
        frameMs: performance.now() - started,
      }
    })
    expect(title, where).not.toBe('owned')
    expect(images, where).toBe(0)
    expect(
      text.split('\n').filter((line) => unseen.test(line)),
      where,
    ).toEqual([])
    expect(text.length, where).toBeLessThan(megabyte)
    expect(frameMs, `${where}: milliseconds of a new layout`).toBeLessThan(1_000)
  }
  await look('the list')
  await expect(table).toContainText('invoice⟨U+202E⟩gpj.exe')
  await expect(table).toContainText('<script>')

  for (const index of all.keys()) {
    await table.getByRole('link').nth(index).click()
    await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()
    await look(`deployment ${index}`)
    await page.goBack()
    await expect(table.getByRole('link')).toHaveCount(all.length)
  }
})

test('copies identifiers of a service as one harmless line, and JSON with escapes', async ({ page, app }) => {
  const id = 'id\u202e; \u001b[201~\nrm -rf ~\u0000'
  const odd = { ...deployment('agent', 9), id, tenant_id: id, note: '\u007f\u009b\u2066' }
  const service = await StubService.start(json({ resources: [odd], offset: 1 }))
  await addEnvironment(page, 'Hostile', service.baseUrl)
  const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
  const line = 'id⟨U+202E⟩; ␛[201~␊rm -rf ~␀'
  const table = page.getByRole('table', { name: 'Deployments' })
  await table.getByRole('button', { name: 'Copy ID of agent' }).click()
  await expect.poll(clipboard).toBe(line)
  await table.getByRole('link', { name: 'agent' }).click()
  for (const name of ['Copy ID', 'Copy tenant ID']) {
    await app.evaluate(({ clipboard }) => clipboard.clear())
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(clipboard, name).toBe(line)
  }
  await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
  await expect.poll(clipboard).toContain('"name": "agent"')
  const copied = await clipboard()
  expect(copied.split('\n').filter((text) => unseen.test(text))).toEqual([])
  expect(JSON.parse(copied)).toMatchObject({ id, note: odd.note })
  await service.close()
})
