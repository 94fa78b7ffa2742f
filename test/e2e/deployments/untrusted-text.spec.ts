import type { Locator, Page } from '@playwright/test'
import { addEnvironment, call, synchronise, synchroniseNever } from '../support/bridge'
import { goTo, press, pressRare, textbox } from '../support/page/creation'
import { openSection, sections } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import {
  type Answer,
  anyDeployment,
  changingService,
  json,
  StubService,
  useEnvironment,
} from '../support/services/stub-service'

/** Texts that would do harm or freeze the window if they were shown unchanged. */
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

test('shows scripts, bidirectional and very long texts of a service harmlessly', async ({ page }) => {
  const table = page.getByRole('table', { name: 'Deployments' })
  const service = await StubService.start((query, response, headers) => {
    const wanted = query.get('deployment_ids')
    const resources = wanted ? all.filter((one) => JSON.stringify(one).includes(wanted)) : all
    json({ resources, offset: resources.length })(query, response, headers)
  })
  await addEnvironment(page, 'Hostile', service.baseUrl)

  await expect(table.getByRole('link')).toHaveCount(all.length)
  const look = async (where: string) => {
    const { text, title, images } = await page.evaluate(() => ({
      text: document.body.innerText + document.title,
      title: document.title,
      images: document.querySelectorAll('img, main script').length,
    }))
    expect(title, where).not.toBe('owned')
    expect(images, where).toBe(0)
    expect(
      text.split('\n').filter((line) => unseen.test(line)),
      where,
    ).toEqual([])
    expect(text.length, where).toBeLessThan(megabyte)
  }
  await look('the list')
  await expect(table).toContainText('invoice⟨U+202E⟩gpj.exe')
  await expect(table).toContainText('<script>')

  for (const index of all.keys()) {
    await table.getByRole('link').nth(index).click()
    await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()
    for (const section of sections) {
      await openSection(page, section)
      await look(`deployment ${index}, ${section}`)
    }
    await page.goBack()
    await expect(table.getByRole('link')).toHaveCount(all.length)
  }
  await service.close()
})

test('copies identifiers as one harmless line, and JSON with escapes and all digits', async ({
  page,
  app,
}) => {
  const id = 'id\u202e; \u001b[201~\nrm -rf ~\u0000'
  const digits = '12345678901234567891'
  const odd = { ...deployment('agent', 9), id, tenant_id: id, note: '\u007f\u009b\u2066', checksum: 'DIGITS' }
  const text = JSON.stringify({ resources: [odd], offset: 1 }).replace('"DIGITS"', digits)
  const service = await StubService.start((_query, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  await addEnvironment(page, 'Hostile', service.baseUrl)
  const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
  const line = 'id⟨U+202E⟩; ␛[201~␊rm -rf ~␀'
  const table = page.getByRole('table', { name: 'Deployments' })
  await table.getByRole('link', { name: 'agent' }).hover()
  await table.getByRole('button', { name: 'Copy ID of agent' }).click()
  await expect.poll(clipboard).toBe(line)
  await table.getByRole('link', { name: 'agent' }).click()
  for (const name of ['Copy ID', 'Copy tenant ID']) {
    await app.evaluate(({ clipboard }) => clipboard.clear())
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(clipboard, name).toBe(line)
  }
  await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
  await expect.poll(clipboard).toContain(`"checksum": ${digits}`)
  const copied = await clipboard()
  expect(copied.split('\n').filter((text) => unseen.test(text))).toEqual([])
  expect(JSON.parse(copied)).toMatchObject({ id, note: odd.note })
  await service.close()
})

/**
 * Characters that no text and no attribute of the page may contain: invisible ones, and those that change the
 * direction of text.
 */
const raw = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u200b\u2060-\u2064\ufeff]/u

/** The places where the page shows a text with such a character, or exposes it to a screen reader. */
const rawTexts = (page: Page): Promise<string[]> =>
  page.evaluate((source) => {
    const raw = new RegExp(source, 'u')
    const found: string[] = []
    const look = (where: string, text: string): void => {
      if (raw.test(text)) found.push(`${where}: ${JSON.stringify(text.slice(0, 120))}`)
    }
    look('document.title', document.title)
    for (const element of document.querySelectorAll('body, body *')) {
      const name = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`
      for (const { name: attribute, value } of element.attributes) {
        // The operator doesn't see data attributes, and the text of an editable field stays unchanged.
        const isKept =
          attribute.startsWith('data-') || (attribute === 'value' && element.matches(':read-write'))
        if (!isKept) look(`${name}[${attribute}]`, value)
      }
      for (const child of element.childNodes) if (child instanceof Text) look(name, child.data)
    }
    return found
  }, raw.source)

/** A text with every kind of such a character and a recognisable name. */
const odd = (name: string): string => `${name}\u202e\u0007\u2028\u200b!`

const oddContainer = {
  name: odd('container'),
  image: odd('image'),
  command: [odd('command')],
  env: [{ name: odd('variable'), value: odd('its value'), [odd('of a variable')]: 1 }],
  [odd('of a container')]: odd('value'),
}

/** A deployment and a repository with such a text in every member, and in the names of unknown ones. */
const oddEverywhere = {
  id: odd('id'),
  name: odd('name'),
  owner: odd('owner'),
  url: odd('url'),
  default_branch: odd('branch'),
  source: odd('source'),
  source_config: {
    integration_id: odd('integration'),
    repo_url: odd('repository'),
    custom_url: odd('custom'),
    listener_id: odd('listener'),
    listener_config: { k8s_namespace: odd('namespace'), [odd('of a listener')]: odd('value') },
    install_command: odd('install'),
    build_command: odd('build'),
    deployment_type: odd('type'),
    resource_spec: {
      min_scale: odd('scale'),
      cpu: odd('cpu'),
      memory_mb: odd('memory'),
      db_storage_gi: odd('storage'),
      service_account_name: odd('account'),
      image_pull_secrets: [{ name: odd('pull'), [odd('of a pull secret')]: 1 }],
      labels: { [odd('label')]: odd('value') },
      annotations: { [odd('annotation')]: odd('value') },
      volumes: [{ name: odd('volume'), [odd('of a volume')]: {} }],
      volume_mounts: [{ name: odd('volume'), mountPath: odd('path'), [odd('of a mount')]: 1 }],
      init_containers: [oddContainer],
      sidecars: [oddContainer],
      [odd('of the spec')]: odd('value'),
    },
    [odd('of the source')]: odd('value'),
  },
  source_revision_config: {
    repo_ref: odd('ref'),
    repo_commit_sha: odd('sha'),
    graph_config_path: odd('graph'),
    image_uri: odd('uri'),
    source_tarball_path: odd('tarball'),
    [odd('of the revision')]: odd('value'),
  },
  secrets: [{ name: odd('secret'), value: '' }],
  secret_references: [{ name: odd('reference'), secret_name: odd('of'), secret_key: odd('key') }],
  tenant_id: odd('tenant'),
  created_at: odd('created'),
  updated_at: odd('updated'),
  status: odd('status'),
  latest_revision_id: odd('latest'),
  active_revision_id: odd('active'),
  image_version: odd('version'),
  [odd('further')]: { [odd('inside')]: [odd('list')] },
}

test('shows invisible characters on no screen and in no attribute', async ({ page, slipway }) => {
  slipway.expectErrors(/Failed to load resource/)
  const deployments = json({ resources: [oddEverywhere], offset: 1 })
  const repositories = json([oddEverywhere])
  const listed: Answer = (query, response, headers) =>
    (query.has('limit') ? deployments : repositories)(query, response, headers)
  const service = await StubService.start(listed)
  const environmentId = await addEnvironment(page, 'Odd', service.baseUrl)
  const all: string[] = []
  const look = async (where: string): Promise<void> => {
    all.push(...(await rawTexts(page)).map((found) => `${where}: ${found}`))
  }

  const openAll = (within: string): Promise<void> =>
    page
      .locator(`${within} button[aria-expanded="false"]`)
      .evaluateAll((closed) => closed.forEach((button) => (button as HTMLElement).click()))

  const table = page.getByRole('table', { name: 'Deployments' })
  await expect(table.getByRole('link')).toHaveCount(1)
  await look('the list')
  await table.getByRole('link').click()
  await expect(page.getByRole('button', { name: 'Clone', exact: true })).toBeVisible()
  for (const section of sections) {
    await openSection(page, section)
    await page
      .locator('summary')
      .evaluateAll((closed) => closed.forEach((one) => (one as HTMLElement).click()))
    await look(`a deployment, ${section}`)
  }

  await press(page, 'Clone')
  await expect(page.getByRole('form', { name: 'New deployment' })).toBeVisible()
  await look('the form')
  await press(page, 'Create deployment')
  await openAll('form')
  await look('the form with its findings')
  await textbox(page, 'Name').fill(odd('draft'))
  await pressRare(page, 'New draft')
  await page.getByRole('combobox', { name: 'Draft', exact: true }).click()
  await expect(page.getByRole('option')).toHaveCount(2)
  await look('the drafts')
  await page.keyboard.press('Escape')

  await goTo(page, 'Repositories')
  // The form has a field of the same name, and stays until the screen is loaded.
  await expect(page.getByRole('heading', { name: 'Repositories', level: 1 })).toBeVisible()
  await page.getByRole('combobox', { name: 'Integration ID' }).fill('00000000-0000-4000-8000-000000000001')
  await press(page, 'List repositories')
  await expect(
    page.getByRole('table', { name: 'Repositories' }).getByRole('button', { name: 'Deploy' }),
  ).toBeVisible()
  await look('the repositories')

  service.answer = (query, response, headers) =>
    query.has('limit') ? deployments(query, response, headers) : void response.socket?.destroy()
  const request = {
    name: odd('lost'),
    source: 'internal_docker' as const,
    source_config: {},
    source_revision_config: { image_uri: odd('uri') },
    secrets: [],
  }
  const lost = await call(page, 'deployments.create', { environmentId, request, confirmedName: null })
  expect(lost).toMatchObject({ ok: false, failure: { sent: 'maybe' } })
  await goTo(page, 'New deployment')
  await look('an unconfirmed creation in one line')
  await page
    .getByRole('form')
    .getByRole('button', { expanded: false, name: /unconfirmed/ })
    .click()
  await expect(page.getByRole('group', { name: /^Unconfirmed creation/ })).toBeVisible()
  await look('an unconfirmed creation')

  service.answer = json({ detail: [{ loc: ['body', odd('location')], msg: odd('message') }] }, 422)
  await call(page, 'deployments.create', {
    environmentId,
    request: { ...request, name: odd('refused') },
    confirmedName: null,
  })
  await goTo(page, 'Deployments')
  await press(page, 'Refresh')
  await expect(page.getByRole('alert')).toBeVisible()
  await look('a failure')
  await goTo(page, 'Activity')
  await expect(page.getByRole('row').filter({ hasText: 'Tried to create refused' })).toBeVisible()
  await openAll('table')
  await look('the journal')
  await goTo(page, 'Environments')
  await look('the environments')
  await service.close()
  expect(all).toEqual([])
})

test('no name reverses the name of its environment, or looks like another environment', async ({ page }) => {
  const names = ['\u202egnigatS\u2066', 'agent · Staging', '\u2067agent\n\tStaging']
  const at = (status: string) =>
    names.map((name, index) => ({
      ...anyDeployment(index + 1),
      name,
      status,
      source_config: { repo_url: `https://github.com/acme/agent-${index}` },
    }))
  const { state, stub } = await changingService(...at('READY'))
  const other = await changingService({ ...anyDeployment(9), name: 'other' })
  const staging = await addEnvironment(page, 'Staging', other.stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, staging)
  const { id: environmentId, service } = await useEnvironment(page, {
    baseUrl: stub.baseUrl,
    name: 'Production',
  })
  await synchroniseNever(page)
  const watched = await call(page, 'watches.add', {
    ...{ environmentId, service, tells: ['changed', 'gone'], stuckMinutes: 30, system: false },
    on: { kind: 'list', name: 'All', query: { filters: {}, search: '' } },
  })
  expect(watched.ok).toBe(true)
  await synchronise(page, environmentId)
  state.all = at('UNUSED').slice(1)
  await synchronise(page, environmentId)

  /** Expects the environment's name, alone in its element and drawn from left to right. */
  const isIn = async (where: Locator): Promise<void> => {
    await expect(where.getByText('Production', { exact: true })).toBeVisible()
    await expect(where.getByText('Staging', { exact: true })).toHaveCount(0)
    const lefts = await where.getByText('Production', { exact: true }).evaluate((element) => {
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!
      return Array.from(text.textContent!, (_character, index) => {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return range.getBoundingClientRect().left
      })
    })
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other))
    expect(await rawTexts(page)).toEqual([])
  }

  await goTo(page, 'Overview')
  const changes = page.getByRole('table', { name: 'Changes' }).getByRole('row')
  await expect(changes).toHaveCount(names.length + 1)
  for (let row = 1; row <= names.length; row += 1) await isIn(changes.nth(row))

  await page.getByRole('button', { name: /^Notices, / }).click()
  const notice = page.getByRole('list', { name: 'Notices' }).getByRole('listitem').first()
  await expect(notice).toContainText('⟨U+202E⟩gnigatS')
  await isIn(notice)
  await page.keyboard.press('Escape')

  await goTo(page, 'Board')
  const grid = page.getByRole('grid', { name: 'Board' })
  const column = grid.getByRole('columnheader').filter({ hasText: 'Production' })
  await isIn(column)
  const cell = grid.getByRole('gridcell').filter({ hasText: 'agent · Staging' })
  await expect(cell).toHaveAttribute('aria-colindex', (await column.getAttribute('aria-colindex'))!)
  expect((await cell.boundingBox())!.x).toBeCloseTo((await column.boundingBox())!.x, 0)

  await stub.close()
  await other.stub.close()
})
