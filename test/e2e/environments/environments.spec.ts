import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sampleIntegrationId } from '@contract'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { type RunningService, startService } from '../../support/service/service-process'
import { addEnvironment, call, secretHeader } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { goTo, press, textbox } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { openAdvanced } from '../support/page/dialogs'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

/** The second service's key. Nothing else in the window may look like it. */
const apiKey = 'k3y-that-nobody-may-read-4711'

const sandboxes = ['Sandbox (cloud)', 'Sandbox (self-hosted)']

let service: RunningService

test.beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: 8, apiKey })
})

test.afterAll(() => service.dispose())

const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Environment', exact: true })
const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Environments' })
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })
const switcher = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: `Environment: ${name}`, exact: true })

const names = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Environments' }).locator('tbody th .name').allInnerTexts()

async function openEnvironments(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  await expect(page.getByRole('heading', { name: 'Environments', level: 1 })).toBeVisible()
}

async function openNew(page: Page): Promise<Locator> {
  await openEnvironments(page)
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = dialogOf(page)
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  return dialog
}

/** Adds the second service under `name`, with its key. */
async function add(page: Page, name: string, { isProtected = false } = {}): Promise<void> {
  const dialog = await openNew(page)
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(service.url)
  if (isProtected) await dialog.getByRole('switch', { name: 'Protected' }).click()
  await addHeader(dialog, 'X-Api-Key', apiKey)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
}

async function addHeader(dialog: Locator, name: string, value: string): Promise<void> {
  await dialog.getByRole('button', { name: 'Add header' }).click()
  const header = dialog.getByRole('group', { name: /^Header/ }).last()
  await header.getByRole('textbox', { name: 'Header name' }).fill(name)
  await header.getByLabel('Header value').fill(value)
}

async function switchTo(page: Page, from: string, to: string): Promise<void> {
  await switcher(page, from).click()
  await page.getByRole('menuitem', { name: to, exact: true }).click()
  await expect(switcher(page, to)).toBeVisible()
}

/** Everything that the page can read: its content, the values of its fields, and answers of the main process. */
function readable(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const fields = [...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    )
    const state = await window.slipway.calls['app.state']('readable', {})
    return [document.documentElement.outerHTML, ...fields, state].join('\n')
  })
}

test('lists the built-in ones, which no one can edit, and checks a draft in the dialog, also below a known prefix', async ({
  slipway,
  page,
}) => {
  await openEnvironments(page)
  for (const name of sandboxes) {
    const row = rowOf(page, name)
    await expect(row).toContainText('Built in')
    await expect(row.getByRole('button', { name: 'Edit' })).toHaveCount(0)
    await expect(row.getByRole('button', { name: 'Remove' })).toHaveCount(0)
  }
  await expect(rowOf(page, 'Sandbox (cloud)')).toHaveAttribute('aria-current', 'true')

  await test.step('refused without the header, answered with it', async () => {
    const dialog = await openNew(page)
    await inspectScreen(slipway, 'environment-dialog')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(`${service.url}/v2/`)
    await expect(dialog).toContainText('Without "/v2": Slipway adds what a request needs.')

    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('alert')).toContainText('401')

    await addHeader(dialog, 'X-Api-Key', apiKey)
    await expect(dialog.getByRole('alert'), 'what was found belongs to what was typed').toHaveCount(0)
    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('status')).toContainText(service.url)
    await expect(page.getByRole('row').filter({ hasText: service.url }), 'a check saves nothing').toHaveCount(
      0,
    )
  })
  await page.keyboard.press('Escape')
  await dialogOf(page).getByRole('button', { name: 'Discard changes' }).click()
  await test.step('finds a service below a known prefix of a base URL at which a web page answers', async () => {
    const installation = createServer(({ url = '' }, response) => {
      const isService = url.startsWith('/api-host/v2/deployments')
      response.writeHead(200, { 'Content-Type': isService ? 'application/json' : 'text/html' })
      response.end(isService ? '{"resources":[],"offset":0}' : '<!doctype html><title>Studio</title>')
    })
    await new Promise<void>((resolve) => installation.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(installation.address() as AddressInfo).port}`
    try {
      const dialog = await openNew(page)
      const url = dialog.getByRole('textbox', { name: 'Base URL' })
      await url.fill(`\u00a0${origin}/studio?tab=1#top\n`)
      await dialog.getByRole('button', { name: 'Check connection' }).click()
      await expect(dialog.getByRole('status')).toContainText('Something else answers at this base URL')
      await dialog.getByRole('button', { name: 'Use this base URL' }).click()
      await expect(url).toHaveValue(`${origin}/api-host`)
      await expect(dialog.getByRole('status')).toContainText(/Connected in \d+ ms/)
      await expect(dialog.getByRole('button', { name: 'Use this base URL' })).toHaveCount(0)
    } finally {
      installation.close()
    }
  })
})

test('adds, protects and switches to an environment, which is there after a restart, and whose key cannot be read', async ({
  start,
}) => {
  const first = await start()
  const { page } = first
  await expect(page.getByRole('table', { name: 'Deployments' })).toBeVisible()
  const sandboxDeployment = await page
    .getByRole('table', { name: 'Deployments' })
    .getByRole('link')
    .first()
    .innerText()

  await add(page, 'Production', { isProtected: true })
  const row = rowOf(page, 'Production')
  await expect(row).toContainText(service.url)
  await expect(row.getByRole('cell', { name: 'Yes' })).toBeVisible()
  await expect(row).toContainText('Keychain')

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await switchTo(page, 'Sandbox (cloud)', 'Production')
  const deployments = page.getByRole('table', { name: 'Deployments' })
  await expect(deployments.getByRole('row')).toHaveCount(9)
  await expect(deployments.getByRole('link', { name: sandboxDeployment, exact: true })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Current environment' })).toContainText(
    /Production\s*Cloud\s*Protected/,
  )
  expect(await page.title()).toContain('Production')

  await openEnvironments(page)
  await row.getByRole('button', { name: 'Edit' }).click()
  await expect(dialogOf(page)).toContainText('Value stored')
  expect(await readable(page)).not.toContain(apiKey)
  await first.close()

  const again = await start()
  await expect(switcher(again.page, 'Production')).toBeVisible()
  // A start opens the last screen.
  await expect(again.page.getByRole('heading', { name: 'Environments', level: 1 })).toBeVisible()
  await again.page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Deployments' })
    .click()
  await expect(again.page.getByRole('table', { name: 'Deployments' }).getByRole('row')).toHaveCount(9)
  expect(await readable(again.page)).not.toContain(apiKey)
})

test('edits and duplicates one, keeps or replaces its key, and refuses taken names and bad URLs and headers at the field', async ({
  page,
}) => {
  await test.step('edits an environment and keeps its stored key, replaces the key, and keeps it when the replacement is cancelled', async () => {
    await add(page, 'Staging')
    await rowOf(page, 'Staging').getByRole('button', { name: 'Edit' }).click()
    const dialog = dialogOf(page)
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Staging two')
    await dialog.getByText('Self-hosted', { exact: true }).click()
    await dialog.getByText('Purple', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('status'), 'the stored key is used').toContainText(service.url)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    const row = rowOf(page, 'Staging two')
    await expect(row).toContainText('Self-hosted')
    await expect(row).toContainText('Purple')

    await row.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByRole('button', { name: 'Replace the value of X-Api-Key' }).click()
    await dialog.getByLabel('Header value').fill('wrong')
    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('alert')).toContainText('401')
    await dialog.getByRole('button', { name: 'Keep stored' }).click()
    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('status')).toContainText(service.url)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog, 'nothing was changed, so nothing is asked').toBeHidden()

    await rowOf(page, 'Staging two').getByRole('button', { name: 'Duplicate' }).click()
    await expect(dialog.getByRole('note')).toContainText('Enter the values of the request headers')
    await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Staging two copy')
    await expect(dialog.getByRole('textbox', { name: 'Header name' })).toHaveValue('X-Api-Key')
    await expect(dialog.getByLabel('Header value')).toHaveValue('')

    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toContainText('Enter the value.')
    await dialog.getByLabel('Header value').fill('another-key')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await expect(rowOf(page, 'Staging two copy')).toContainText(service.url)
  })
  await test.step('refuses taken names and bad URLs and headers with the reason at the field, keeping what was typed', async () => {
    const dialog = await openNew(page)
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
    const url = dialog.getByRole('textbox', { name: 'Base URL' })
    await name.fill('sandbox (CLOUD)')
    await url.fill('https://me:secret@example.com')
    await addHeader(dialog, 'X Api Key', 'v')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(url).toHaveAccessibleDescription(/request header/)
    await expect(name).toHaveAccessibleDescription(/Another environment has this name/)
    await expect(dialog.getByRole('textbox', { name: 'Header name' })).toHaveAccessibleDescription(
      /no spaces/,
    )
    await expect(name).toBeFocused()
    await expect(name).toHaveValue('sandbox (CLOUD)')

    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toContainText('Close without saving')
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await expect(url).toHaveValue('https://me:secret@example.com')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Add environment' })).toBeFocused()
  })
})

test('moves them, switches with two keystrokes, removes the current one after asking and continues in the sandbox', async ({
  page,
}) => {
  for (const name of ['One', 'Two', 'Three']) await addEnvironment(page, name, `http://127.0.0.1:1/${name}`)
  await openEnvironments(page)
  expect(await names(page)).toEqual([...sandboxes, 'One', 'Two', 'Three'])
  await expect(rowOf(page, sandboxes[0]!).getByRole('button', { name: 'Move down' })).toHaveCount(0)

  const up = rowOf(page, 'Three').getByRole('button', { name: 'Move up' })
  await up.click()
  await expect.poll(() => names(page)).toEqual([...sandboxes, 'One', 'Three', 'Two'])
  await expect(up, 'the row keeps the focus where it went').toBeFocused()
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => names(page)).toEqual([...sandboxes, 'Three', 'One', 'Two'])
  await expect(up).toBeFocused()
  await expect(up).toHaveAttribute('aria-disabled', 'true')

  await test.step('switches with two keystrokes', async () => {
    await page.keyboard.press('Control+e')
    await expect(page.getByRole('menuitem', { name: 'Three', exact: true })).toBeFocused()
    await page.keyboard.press('4')
    await expect(switcher(page, 'One')).toBeFocused()
  })
  await page.keyboard.press('Control+e')
  await page.keyboard.press('1')
  await expect(switcher(page, 'Sandbox (cloud)')).toBeVisible()
  await test.step('removes the current environment after asking, and continues in the sandbox', async () => {
    await add(page, 'Short-lived')
    await rowOf(page, 'Short-lived').getByRole('button', { name: 'Switch to' }).click()
    await expect(switcher(page, 'Short-lived')).toBeVisible()
    await rowOf(page, 'Short-lived').getByRole('button', { name: 'Remove' }).click()
    const question = page.getByRole('dialog', { name: 'Remove environment' })
    await expect(question).toContainText('Short-lived')
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await question.getByRole('button', { name: 'Remove' }).click()
    await expect(rowOf(page, 'Short-lived')).toHaveCount(0)
    await expect(switcher(page, 'Sandbox (cloud)')).toBeVisible()
  })
})

test('shows nothing of the previous account once request headers were edited', async ({ page }) => {
  const stub = await StubService.start((query, response, headers) => {
    const name = headers['x-api-key'] === 'first' ? 'of-account-a' : 'of-account-b'
    const resources = query.get('offset') === '0' ? [{ ...anyDeployment(1), name }] : []
    json({ resources, offset: resources.length })(query, response, headers)
  })
  try {
    const signedIn = (key: string) => ({
      baseUrl: stub.baseUrl,
      headers: [{ name: 'X-Api-Key', value: key }],
    })
    const { id } = await useEnvironment(page, signedIn('first'))
    const list = page.getByRole('table', { name: 'Deployments' })
    await expect(list.getByRole('link', { name: 'of-account-a' })).toBeVisible()
    await openEnvironments(page)
    await useEnvironment(page, { id, ...signedIn('second') })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await expect(list.getByRole('link', { name: 'of-account-b' })).toBeVisible()
    await expect(list.getByRole('link', { name: 'of-account-a' })).toHaveCount(0)
  } finally {
    await stub.close()
  }
})

/** Makes the system's dialogs choose a file. */
function answerDialogs(app: ElectronApplication, filePath: string): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path })
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, filePath)
}

test('environments are exported without secrets, and each one in a file is reviewed before it is added', async ({
  slipway,
  page,
  app,
  userData,
}) => {
  let requests = 0
  const service = await StubService.start((query, response, headers) => {
    requests += 1
    json({ resources: [anyDeployment(1)], offset: 0 })(query, response, headers)
  })
  await addEnvironment(page, 'Production', 'http://127.0.0.1:9')
  await openEnvironments(page)

  const path = join(userData, 'them.json')
  await answerDialogs(app, path)
  await rowOf(page, 'Production').getByRole('button', { name: 'Export' }).click()
  await expect(page.getByText(`Exported one environment without secrets to ${path}.`)).toBeVisible()
  const text = await readFile(path, 'utf8')
  expect(text).toContain('X-Api-Key')
  expect(text).not.toContain(secretHeader)
  const file = JSON.parse(text) as { environments: { name: string; baseUrl: string }[] }
  const [production] = file.environments
  const more = [
    {
      ...production,
      name: 'Staging',
      baseUrl: service.baseUrl,
      integrations: [sampleIntegrationId],
      nicknames: { [sampleIntegrationId]: 'Team forge' },
    },
    { ...production, name: 'Third' },
  ]
  await writeFile(path, JSON.stringify({ ...file, environments: [production, ...more] }))

  await page.getByRole('button', { name: 'Import' }).click()
  const list = page.getByRole('dialog', { name: 'Import environments' })
  await expect(list).toContainText('3 environments')
  await expect(list.getByRole('listitem').first()).toContainText(
    'You already have an environment of this name',
  )

  const environment = page.getByRole('dialog', { name: 'Environment', exact: true })
  await list.getByRole('listitem').nth(0).getByRole('button', { name: 'Review' }).click()
  await expect(environment.getByRole('note')).toContainText(
    'You already have an environment named Production',
  )
  await environment.getByLabel('Header value').fill('key')
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(environment).toContainText('Another environment has this name')
  await environment.getByRole('button', { name: 'Cancel' }).click()
  await environment.getByRole('button', { name: 'Discard changes' }).click()
  await expect(list).toBeVisible()

  await list.getByRole('listitem').nth(1).getByRole('button', { name: 'Review' }).click()
  await expect(environment.getByRole('note')).toContainText('Check the base URL')
  await expect(environment.getByRole('textbox', { name: 'Nickname of integration 1' })).toHaveValue(
    'Team forge',
  )
  await inspectScreen(slipway, 'environments-import-review')
  await slipway.resize(900, 600)
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(environment).toContainText('Enter the value.')
  await environment.getByLabel('Header value').fill('key')
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(list.getByRole('listitem').nth(1)).toContainText('Added')
  await list.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(list).toBeHidden()

  await expect
    .poll(() => names(page), 'nothing is added unseen')
    .toEqual([...sandboxes, 'Production', 'Staging'])
  expect(requests, 'nothing is contacted').toBe(0)
  await expect(page.getByRole('button', { name: 'Environment: Production' })).toBeVisible()

  await writeFile(path, text.replace('"X-Api-Key"', '{ "name": "X-Api-Key", "value": "key" }'))
  await page.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('alert')).toContainText("them.json isn't a list of environments.")
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

const navigation = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const bar = (page: Page): Locator => page.getByRole('region', { name: 'Current environment' })

test('in a read-only environment nothing can be created, neither from the page nor by a direct call', async ({
  slipway,
  page,
}) => {
  const methods: string[] = []
  const one = json({ resources: [anyDeployment(1)], offset: 1 })
  const stub = await StubService.start((query, response, headers) => {
    methods.push(response.req.method ?? '')
    one(query, response, headers)
  })
  const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl, readOnly: true })
  await expect(bar(page)).toContainText('Read-only')
  await expect(navigation(page).getByRole('link', { name: 'New deployment' })).toHaveCount(0)
  await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
  await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Clone', exact: true })).toHaveCount(0)
  await page.evaluate(() => (location.hash = '#/new'))
  await expect(page.getByText('Stub is read-only', { exact: true })).toBeVisible()
  await expect(page.getByRole('form', { name: 'New deployment' })).toHaveCount(0)
  await inspectScreen(slipway, 'read-only-new')

  const created = await call(page, 'deployments.create', {
    environmentId,
    request: {
      name: 'forced',
      source: 'internal_docker',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    },
    confirmedName: 'Stub',
    again: null,
  })
  expect(created).toMatchObject({ ok: false, failure: { code: 'not-allowed', sent: 'no' } })
  expect(methods).not.toContain('POST')

  await navigation(page).getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('row', { name: 'Stub' }).getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await expect(dialog.getByRole('switch', { name: 'Read-only' })).toBeChecked()
  await dialog.getByText('Read-only', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(navigation(page).getByRole('link', { name: 'New deployment' })).toBeVisible()
  await stub.close()
})

test('a protected environment is removed by its name alone, and one that denies access says so once', async ({
  slipway,
  page,
}) => {
  const { id } = await useEnvironment(page, { name: 'Production', protected: true })
  expect(await call(page, 'environments.remove', { id, confirmedName: null })).toMatchObject({
    failure: { code: 'confirmation-needed' },
  })
  await navigation(page).getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('row', { name: 'Production' }).getByRole('button', { name: 'Remove' }).click()
  const question = page.getByRole('dialog', { name: 'Remove environment' })
  const remove = question.getByRole('button', { name: 'Remove' })
  const name = question.getByRole('textbox', { name: 'Environment name' })
  await expect(name).toBeFocused()
  await name.fill('production')
  await expect(remove).toBeDisabled()
  await name.fill('Production')
  await remove.click()
  await expect(page.getByRole('row', { name: 'Production' })).toHaveCount(0)
  await navigation(page).getByRole('link', { name: 'Deployments' }).click()

  slipway.expectErrors(/Failed to load resource/)
  const stub = await StubService.start(json({ detail: 'The API key is missing.' }, 401))
  await useEnvironment(page, { baseUrl: stub.baseUrl })
  const status = page.getByRole('status', { name: 'Connection' })
  await expect(status).toHaveText('Access denied')
  await expect(page.getByText('The API key is missing.')).toHaveCount(1)
  stub.answer = json({ resources: [anyDeployment(1)], offset: 1 })
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
  await expect(status).toHaveText('Online')
  await stub.close()
})

const nickname = 'Team forge'
const both = `${nickname} (${sampleIntegrationId})`

test('an integration has the nickname of its environment wherever it is shown or picked', async ({
  slipway,
  app,
  page,
  services,
}) => {
  await goTo(page, 'Environments')
  await press(page, 'Add environment')
  const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Forged')
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(services.cloud.url)
  const advanced = dialog.getByRole('button', { name: 'Advanced' })
  await expect(advanced).toHaveAttribute('aria-expanded', 'false')
  await expect(dialog.getByRole('radiogroup', { name: 'Proxy' })).toBeHidden()
  await slipway.resize(900, 600)
  await expect(advanced, 'it is in view without scrolling').toBeInViewport({ ratio: 1 })
  await openAdvanced(dialog)
  await dialog.getByRole('button', { name: 'Add integration' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Known integration 1', exact: true })).toBeFocused()
  await page.keyboard.type(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.keyboard.type(nickname)
  await inspectScreen(slipway, 'environment-dialog-advanced')
  await slipway.resize(1280, 800)
  await press(page, 'Save')
  await expect(dialog).toBeHidden()

  await switchTo(page, 'Sandbox (cloud)', 'Forged')
  await goTo(page, 'Repositories')
  const integration = page.getByRole('combobox', { name: 'Integration ID' })
  // The only known one is selected automatically.
  await expect(integration).toHaveValue(sampleIntegrationId)
  await integration.fill('team')
  await expect(page.getByRole('option', { name: both })).toBeVisible()
  await integration.fill('team forge')
  await page.keyboard.press('Enter')
  await expect(integration).toHaveValue(sampleIntegrationId)
  await expect(integration).toHaveAccessibleDescription(`Nickname: ${nickname}`)
  const deploy = page.getByRole('table', { name: 'Repositories' }).getByRole('button', { name: 'Deploy' })
  await deploy.first().click()
  // The previous screen has a field of the same name.
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeVisible()
  await expect(textbox(page, 'Integration ID')).toHaveValue(sampleIntegrationId)
  await expect(textbox(page, 'Integration ID')).toHaveAccessibleDescription(`Nickname: ${nickname}`)
  await textbox(page, 'Integration ID').fill('forge')
  await expect(page.getByRole('option', { name: both })).toBeVisible()
  await page.getByRole('option', { name: both }).click()
  await expect(page.getByRole('region', { name: 'Request preview' })).toContainText(sampleIntegrationId)

  const deployment = (await askDirectly(page)).find((one) => one.integration_id === sampleIntegrationId)!
  await page.evaluate((id) => {
    location.hash = `#/deployments/${id}`
  }, deployment.id)
  await expect(page.getByText(both)).toBeVisible()
  await press(page, 'Copy integration ID')
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(sampleIntegrationId)

  // Elsewhere, the integration has no such name.
  await switchTo(page, 'Forged', 'Sandbox (cloud)')
  await goTo(page, 'Repositories')
  await expect(integration).toHaveValue(sampleIntegrationId)
  await expect(integration).not.toHaveAccessibleDescription(/Nickname/)
})
