import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { keychainServiceName } from '../../../electron/main/keychain/service-name'
import { call } from '../support/bridge'
import { expect, Keyring, type Slipway, test } from '../support/fixtures'
import { keychainEntries } from '../support/keychain-entries'
import { inspectScreen } from '../support/screens'
import { useEnvironment } from '../support/stub-service'

// The keychain's bad days that keychain.spec.ts does not have: each ends with everything stored still there, and the
// window opening about as soon as on a good day.

test.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')

const baseUrl = 'http://127.0.0.1:1'
const production = { name: 'Production', baseUrl, headers: [{ name: 'X-Api-Key', value: 'a stored value' }] }

/** By how much a bad start may be later than a good one; who waits for the keychain waits for ten seconds. */
const timeoutMs = 6_000

/** Starts the application and tells how long its window took, in milliseconds. */
async function timed(start: () => Promise<Slipway>): Promise<{ slipway: Slipway; took: number }> {
  const began = Date.now()
  const slipway = await start()
  return { slipway, took: Date.now() - began }
}

async function environmentRow(page: Page, name: RegExp): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  const row = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name })
  await expect(row).toBeVisible()
  return row
}

const notice = (page: Page): Locator => page.getByRole('region', { name: 'Keychain' })

test('a keychain that refuses says so, keeps all, and gives all back', async ({
  start,
  keyring,
  userData,
}) => {
  const good = await timed(start)
  const { id } = await useEnvironment(good.slipway.page, production)
  const stored = await keychainEntries(good.slipway, userData).get(id)
  expect(stored).toContain('a stored value')
  await good.slipway.close()

  await keyring.refuse(true)
  const { slipway, took } = await timed(start)
  expect(took).toBeLessThan(good.took + timeoutMs)
  const row = await environmentRow(slipway.page, /Production/)
  await expect(row).toContainText('The keychain refused.')
  await expect(row).not.toContainText(baseUrl)

  await keyring.refuse(false)
  await notice(slipway.page).getByRole('button', { name: 'Retry' }).click()
  await expect(row).toContainText(baseUrl)
  expect(await keychainEntries(slipway, userData).get(id)).toBe(stored)
})

test('a daemon that is killed in the middle of a write costs nothing that was stored or typed', async ({
  start,
  keyring,
  userData,
}) => {
  const first = await start()
  const { id } = await useEnvironment(first.page, production)
  const entries = keychainEntries(first, userData)
  const stored = await entries.get(id)
  const { page } = first
  await environmentRow(page, /Production/)
  // The cache and the journal, which notes that nothing answers there, have their keys: the next call is the save's.
  await expect.poll(() => entries.get('journal-key')).not.toBeNull()
  expect(await call(page, 'sync.state', { environmentId: id })).toMatchObject({ value: { kept: 'disk' } })
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Staging')
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(`${baseUrl}/staging`)
  keyring.freeze()
  const called = await keyring.listen()
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The entry that is about to be written is noted before; the call comes later, from another process.
  await expect.poll(() => readFile(join(userData, 'environments.json'), 'utf8')).toContain('Staging')
  await called()
  await keyring.crash()

  await expect(dialog.getByRole('alert')).toContainText('keychain')
  await expect(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveValue(`${baseUrl}/staging`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await first.close()

  const second = await start()
  await expect(await environmentRow(second.page, /Production/)).toContainText(baseUrl)
  const staging = await environmentRow(second.page, /Staging/)
  await expect(staging).toContainText(`${baseUrl}/staging`)
  await expect(staging).toHaveCount(1)
  expect(await keychainEntries(second, userData).get(id)).toBe(stored)
})

for (const [what, entry, words] of [
  ['a damaged', '{"version":1,"name":"Produ', 'damaged'],
  [
    "a newer Slipway's",
    JSON.stringify({ version: 99, name: 'Production', of: 'the future' }),
    'newer version of Slipway',
  ],
] as const) {
  test(`${what} entry is said to be so and left as it is`, async ({ start, userData }) => {
    const first = await start()
    const { id } = await useEnvironment(first.page, production)
    await useEnvironment(first.page, { name: 'Staging', baseUrl: `${baseUrl}/staging` })
    await keychainEntries(first, userData).set({ [id]: entry })
    await first.close()

    const second = await start()
    const { page } = second
    const row = await environmentRow(page, /Production/)
    await expect(row).toContainText(words)
    await expect(row.getByRole('button', { name: 'Edit' })).toBeDisabled()
    await expect(await environmentRow(page, /Staging/)).toContainText(`${baseUrl}/staging`)
    await expect(notice(page)).toBeHidden()
    expect(await keychainEntries(second, userData).get(id)).toBe(entry)
  })
}

test('two thousand entries neither keep the window closed nor get lost', async ({
  start,
  keyring,
  userData,
}) => {
  const environments = Array.from({ length: 2_000 }, (_, index) => ({
    id: randomUUID(),
    name: `Environment ${index}`,
  }))
  const entries = environments.map(({ id, name }): [string, string] => [
    id,
    JSON.stringify({
      ...{ version: 1, name, baseUrl: `${baseUrl}/${name.replace(' ', '-')}`, mode: 'cloud', colour: 'blue' },
      ...{ protected: false, headers: [], integrations: [] },
    }),
  ])
  const good = await timed(start)
  await good.slipway.close()
  await keyring.stopService()
  await keyring.addCollection(keychainServiceName(userData, ''), {
    marker: 'Tells Slipway that the keychain is open.',
    ...Object.fromEntries(entries),
  })
  await keyring.startService()
  const index = {
    ...{ version: 1, environments, unfinished: [], current: 'built-in-cloud', integrations: {} },
    rebuild: false,
  }
  await writeFile(join(userData, 'environments.json'), JSON.stringify(index))

  const { slipway, took } = await timed(start)
  expect(took).toBeLessThan(good.took + timeoutMs)
  await expect(
    slipway.page.getByRole('table', { name: 'Deployments' }).getByRole('link').first(),
  ).toBeVisible()
  const readable = async (): Promise<number> => {
    const state = await call(slipway.page, 'app.state', {})
    if (!state.ok) throw new Error(state.failure.message)
    return state.value.environments.filter(({ kept, profile }) => kept === 'keychain' && profile).length
  }
  await expect.poll(readable, { timeout: 60_000 }).toBe(2_000)
  await findLastOf(slipway, 2_000)
})

/** The screen and the menu draw what is in view of `count` environments, and the last one is found in both. */
async function findLastOf(slipway: Slipway, count: number): Promise<void> {
  const { page } = slipway
  const last = `Environment ${count - 1}`
  const mounted = 80
  await environmentRow(page, /Sandbox \(cloud\)/)
  const table = page.getByRole('table', { name: 'Environments' })
  await expect(table).toHaveAttribute('aria-rowcount', String(count + 3))
  expect(await table.locator('tr').count()).toBeLessThan(mounted)
  const lastRow = table.getByRole('row', { name: new RegExp(last) })
  await expect(lastRow).toHaveCount(0)
  // The last button that is drawn, and on from there with the keyboard alone.
  await table.getByRole('button').last().focus()
  await page.keyboard.press('Tab')
  await expect(table.getByRole('button', { name: 'Switch to' }).last()).toBeVisible()
  await page.keyboard.press('Control+End')
  await expect(lastRow).toBeVisible()
  await expect(lastRow).toHaveAttribute('aria-rowindex', String(count + 3))
  expect(await table.locator('tr').count()).toBeLessThan(mounted)
  await inspectScreen(slipway, 'environments-many')
  await page.getByRole('textbox', { name: 'Search environments' }).fill(last)
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(lastRow.getByRole('button', { name: 'Edit' })).toBeEnabled()

  await page.keyboard.press('Control+e')
  const menu = page.getByRole('menu', { name: 'Environments' })
  await expect(menu.getByRole('menuitem', { name: 'Sandbox (cloud)', exact: true })).toBeFocused()
  expect(await menu.getByRole('menuitem').count()).toBeLessThan(mounted)
  await page.keyboard.press('End')
  const lastItem = menu.getByRole('menuitem', { name: last, exact: true })
  await expect(lastItem).toBeFocused()
  await expect(lastItem).toBeInViewport()
  await page.keyboard.press('Home')
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.type(`environment ${count - 1}`)
  const filter = page.getByRole('textbox', { name: 'Filter environments' })
  await expect(filter).toHaveValue(`environment ${count - 1}`)
  await expect(menu.getByRole('menuitem')).toHaveCount(1)
  await inspectScreen(slipway, 'environment-menu-many')
  await page.keyboard.press('ArrowDown')
  await expect(lastItem).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Environment: ${last}`, exact: true })).toBeFocused()
}
