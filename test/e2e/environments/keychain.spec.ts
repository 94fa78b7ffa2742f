import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { call } from '../support/bridge'
import { filesWith } from '../support/files'
import { keychainNotice, retryKeychain } from '../support/keychain'
import { expect, Keyring, alone as base } from '../support/fixtures'
import { fill, openForm } from '../support/page/creation'

/** A deployment service of the test, which records the header that it gets. */
interface TestService {
  url: string
  keys: (string | undefined)[]
}

const test = base.extend<{ service: TestService }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
  service: async ({}, use) => {
    const keys: TestService['keys'] = []
    const server: Server = createServer((request, response) => {
      keys.push(request.headers['x-api-key']?.toString())
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ resources: [{ id: 'one', name: 'of-the-test-service' }], offset: 1 }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await use({ url: `http://127.0.0.1:${port}`, keys })
    server.closeAllConnections()
    server.close()
  },
})

test.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')
test.use({ keyringState: 'absent' })

const lockedOrEmptied = "The keychain is locked, or Slipway's entries in it were deleted."

const secret = 'a value that only the keychain keeps'

async function openEnvironments(page: Page): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  const table = page.getByRole('table', { name: 'Environments' })
  await expect(table).toBeVisible()
  return table
}

/** Fills in the dialog "Environment" and presses Save. */
async function addEnvironment(page: Page, name: string, baseUrl: string): Promise<Locator> {
  await openEnvironments(page)
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(baseUrl)
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await dialog.getByRole('textbox', { name: /header.*name/i }).fill('X-Api-Key')
  await dialog.getByLabel(/header.*value/i).fill(secret)
  await dialog.getByRole('button', { name: 'Save' }).click()
  return dialog
}

async function switchTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Environment: / }).click()
  await page.getByRole('menuitem', { name }).or(page.getByRole('menuitemradio', { name })).click()
  await expect(page.getByRole('button', { name: `Environment: ${name}` })).toBeVisible()
}

async function openDeployments(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
}

/** Where an environment's cache is, and its problem. */
async function copyOf(page: Page, environmentId: string): Promise<unknown> {
  const state = await call(page, 'sync.state', { environmentId })
  return state.ok ? { storage: state.value.storage, problem: state.value.problem } : state.failure
}

test('without a keychain all lives for the session; one that comes later stores it; a locked one loses nothing', async ({
  start,
  keyring,
  service,
  userData,
}) => {
  const sandbox = 'built-in-cloud'
  const first = await start()
  await expect(keychainNotice(first.page)).toBeHidden()
  await expect(await addEnvironment(first.page, 'Production', service.url)).toBeHidden()
  await expect(keychainNotice(first.page)).toContainText('kept only until Slipway closes')
  const table = await openEnvironments(first.page)
  await expect(table.getByRole('row', { name: /Production/ })).toContainText(/this session only/i)
  await switchTo(first.page, 'Production')
  await openDeployments(first.page)
  await expect(first.page.getByRole('link', { name: 'of-the-test-service' })).toBeVisible()
  await openForm(first.page)
  await fill(first.page, { Name: 'draft-of-a-session' })
  await expect(first.page.getByRole('region', { name: 'Drafts' })).toContainText('only until Slipway closes')
  expect(await copyOf(first.page, sandbox)).toMatchObject({ storage: 'memory' })
  expect(await readdir(join(userData, 'cache')).catch(() => [])).toEqual([])
  expect(await filesWith(userData, 'draft-of-a-session')).toEqual([])

  await keyring.startService()
  await retryKeychain(first.page)
  await switchTo(first.page, 'Sandbox (cloud)')
  const created = await call(first.page, 'deployments.create', {
    environmentId: sandbox,
    request: {
      name: 'created-before',
      source: 'internal_docker',
      source_config: {},
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [],
    },
    confirmedName: null,
  })
  expect(created).toMatchObject({ ok: true })
  await switchTo(first.page, 'Production')
  await expect.poll(() => copyOf(first.page, sandbox)).toEqual({ storage: 'disk', problem: null })
  await first.close()
  expect(await readFile(join(userData, 'environments.json'), 'utf8')).not.toContain(service.url)
  await keyring.lock()
  service.keys.length = 0

  const { page } = await start()
  await expect(page.getByRole('button', { name: 'Environment: Production' })).toBeVisible()
  await expect(keychainNotice(page)).toContainText(lockedOrEmptied)
  await expect
    .poll(() => copyOf(page, sandbox))
    .toEqual({
      storage: 'memory',
      problem: `The cache is kept in memory for this session only. ${lockedOrEmptied}`,
    })
  await openDeployments(page)
  await expect(page.getByRole('alert').filter({ hasText: lockedOrEmptied })).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('radio', { name: 'Creations' }).check()
  await expect(page.getByText('No readable creations')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Journal' })).toContainText(
    "Earlier entries can't be read until the keychain answers.",
  )
  await expect(page.getByText('The journal has no creations')).toHaveCount(0)
  const row = (await openEnvironments(page)).getByRole('row', { name: /Production/ })
  await expect(row).toContainText(lockedOrEmptied)
  const retry = keychainNotice(page).getByRole('button', { name: 'Retry' })
  await retry.click()
  // Only then has the first attempt ended, so that the second one finds the keychain unlocked.
  await expect(retry).toBeEnabled()
  await expect(row).toContainText('The keychain is locked.')
  const dialog = await addEnvironment(page, 'Staging', service.url)
  await expect(dialog.getByRole('alert')).toContainText('The keychain is locked.')

  await keyring.unlock()
  await expect(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveValue(service.url)
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await expect(dialog).toBeHidden()
  await retryKeychain(page)
  await expect(row).toContainText(service.url)
  await openDeployments(page)
  await expect(page.getByRole('link', { name: 'of-the-test-service' })).toBeVisible()
  expect(new Set(service.keys)).toEqual(new Set([secret]))
  await expect.poll(() => copyOf(page, sandbox)).toEqual({ storage: 'disk', problem: null })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await expect(
    page.getByRole('table', { name: 'Activity' }).getByRole('row', { name: 'created-before' }),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: 'Journal' })).toHaveCount(0)
})
