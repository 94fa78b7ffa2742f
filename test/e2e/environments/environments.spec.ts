import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { type RunningService, startService } from '../../support/service/service-process'
import { addEnvironment } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

/** The second service's key. Nothing else in the window may look like it. */
const apiKey = 'k3y-that-nobody-may-read-4711'

let service: RunningService

test.beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: 8, apiKey })
})

test.afterAll(() => service.dispose())

const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Environment', exact: true })
const rowOf = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'Environments' }).getByRole('row').filter({ hasText: name })
const switcher = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: `Environment: ${name}`, exact: true })

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

test('lists the built-in ones, which no one can edit, in rows of 40 pixels with buttons on hover or focus', async ({
  slipway,
  page,
}) => {
  await test.step('lists the built-in environments, says what they are, and lets no one edit or remove them', async () => {
    await openEnvironments(page)
    for (const name of ['Sandbox (cloud)', 'Sandbox (self-hosted)']) {
      const row = rowOf(page, name)
      await expect(row).toContainText('Built in')
      await expect(row.getByRole('button', { name: 'Edit' })).toHaveCount(0)
      await expect(row.getByRole('button', { name: 'Remove' })).toHaveCount(0)
    }
    await expect(rowOf(page, 'Sandbox (cloud)')).toHaveAttribute('aria-current', 'true')
    await inspectScreen(slipway, 'environments-first-start')
  })
  await test.step('has a row of 40 pixels for an environment, with buttons that show on hover or focus', async () => {
    for (const name of ['Production', 'Staging'])
      await addEnvironment(page, name, `http://127.0.0.1:1/${name}`)
    await openEnvironments(page)
    await expect(rowOf(page, 'Staging')).toHaveAttribute('aria-current', 'true')
    const heights = () =>
      page
        .getByRole('table', { name: 'Environments' })
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
    expect(await heights()).toEqual([40, 40, 40, 40])
    await slipway.resize(900, 600)
    const row = rowOf(page, 'Production')
    expect(await row.evaluate((one) => one.getBoundingClientRect().height)).toBe(40)

    const edit = row.getByRole('button', { name: 'Edit' })
    const opacity = () => edit.evaluate((button) => getComputedStyle(button.parentElement!).opacity)
    await page.mouse.move(450, 590)
    await expect.poll(opacity).toBe('0')
    await row.hover()
    await expect.poll(opacity).toBe('1')
    await page.mouse.move(450, 590)
    await expect.poll(opacity).toBe('0')
    await edit.focus()
    await expect.poll(opacity).toBe('1')
  })
})

test('checks a draft in the dialog, also below a known prefix of the base URL', async ({ slipway, page }) => {
  await test.step('checks a draft in the dialog: refused without the header, answered with it, and again after a change', async () => {
    const dialog = await openNew(page)
    await inspectScreen(slipway, 'environment-dialog')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(`${service.url}/v2/`)
    await expect(dialog).toContainText('Without "/v2": Slipway adds what a request needs.')

    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('alert')).toContainText('401')
    await inspectScreen(slipway, 'environment-dialog-check-failed')

    await addHeader(dialog, 'X-Api-Key', apiKey)
    await expect(dialog.getByRole('alert'), 'what was found belongs to what was typed').toHaveCount(0)
    await dialog.getByRole('button', { name: 'Check connection' }).click()
    await expect(dialog.getByRole('status')).toContainText(service.url)
    await inspectScreen(slipway, 'environment-dialog-check-succeeded')
    await expect(rowOf(page, service.url), 'a check saves nothing').toHaveCount(0)
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
  await inspectScreen(first, 'environment-dialog-edit')
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

test('edits one, keeps or replaces its key, and refuses taken names and bad URLs and headers at the field', async ({
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
  })
  await test.step('refuses taken names and bad URLs and headers with the reason at the field, keeping what was typed', async () => {
    const dialog = await openNew(page)
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
    const url = dialog.getByRole('textbox', { name: 'Base URL' })
    await name.fill('sandbox (CLOUD)')
    for (const [text, reason] of [
      ['ftp://example.com', 'Use https:// or http://'],
      ['example', 'Begin the base URL'],
      ['https://me:secret@example.com', 'request header'],
    ] as const) {
      await url.fill(text)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await expect(url).toHaveAccessibleDescription(new RegExp(reason.replace(/[?/.]/g, '\\$&')))
      await expect(url).toHaveAttribute('aria-invalid', 'true')
    }
    await expect(name).toHaveAccessibleDescription(/Another environment has this name/)
    await addHeader(dialog, 'X Api Key', 'v')
    await dialog.getByRole('button', { name: 'Save' }).click()
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

test('removes the current one after asking, continues in the sandbox, and switches with two keystrokes', async ({
  slipway,
  page,
}) => {
  await test.step('switches with two keystrokes, and with every key of a menu', async () => {
    await expect(page.getByRole('table', { name: 'Deployments' })).toBeVisible()
    await page.keyboard.press('Control+e')
    await expect(page.getByRole('menuitem', { name: 'Sandbox (cloud)', exact: true })).toBeFocused()
    await inspectScreen(slipway, 'environment-menu')
    await page.keyboard.press('2')
    await expect(switcher(page, 'Sandbox (self-hosted)')).toBeFocused()

    await page.keyboard.press('Enter')
    const menu = page.getByRole('menu', { name: 'Environments' })
    await expect(menu.getByRole('menuitem', { name: 'Sandbox (self-hosted)', exact: true })).toBeFocused()
    await page.keyboard.press('Home')
    await expect(menu.getByRole('menuitem', { name: 'Sandbox (cloud)', exact: true })).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(menu.getByRole('menuitem', { name: 'Sandbox (self-hosted)', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(menu).toBeHidden()
    await expect(switcher(page, 'Sandbox (self-hosted)')).toBeFocused()
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
    await inspectScreen(slipway, 'environment-remove')
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
