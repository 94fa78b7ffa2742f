import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { keychainServiceName } from '../../../electron/main/processes/keychain/types'
import { call } from '../support/bridge'
import { expect, Keyring, type Slipway, alone as test } from '../support/fixtures'
import { keychainEntries } from '../support/keychain/keychain-entries'
import { keychainNotice, retryKeychain } from '../support/keychain/keychain-notice'
import { inspectScreen } from '../support/page/screens'
import { useEnvironment } from '../support/services/stub-service'

// Failures of the keychain that keychain.spec.ts doesn't cover. In all of them, nothing stored is lost, and the window
// doesn't wait for the keychain.

test.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')
test.use({ keyringState: 'unlocked' })

const baseUrl = 'http://127.0.0.1:1'
const production = { name: 'Production', baseUrl, headers: [{ name: 'X-Api-Key', value: 'a stored value' }] }

async function environmentRow(page: Page, name: RegExp): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  const row = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name })
  await expect(row).toBeVisible()
  return row
}

test('a keychain that refuses calls is reported, loses nothing, and everything is back afterwards', async ({
  start,
  keyring,
  userData,
}) => {
  const first = await start()
  const { id } = await useEnvironment(first.page, production)
  const stored = await keychainEntries(first, userData).get(id)
  expect(stored).toContain('a stored value')
  await first.close()

  await keyring.refuse(true)
  const slipway = await start()
  // A call that timed out would say that the keychain didn't answer.
  const row = await environmentRow(slipway.page, /Production/)
  await expect(row).toContainText('The keychain refused.')
  await expect(row).not.toContainText(baseUrl)
  await expect(keychainNotice(slipway.page).getByRole('button', { name: 'Retry' })).toBeEnabled()

  await keyring.refuse(false)
  await retryKeychain(slipway.page)
  await expect(row).toContainText(baseUrl)
  expect(await keychainEntries(slipway, userData).get(id)).toBe(stored)
})

test('killing the daemon in the middle of a write loses nothing that was stored or entered', async ({
  start,
  keyring,
  userData,
}) => {
  const first = await start()
  const { id } = await useEnvironment(first.page, production)
  const { page } = first
  const entries = keychainEntries(first, userData)
  const stored = await entries.get(id)
  await environmentRow(page, /Production/)
  // Cache and journal have their keys, so the next call is the save's. The journal has noted that nothing answers
  // there.
  await expect.poll(() => entries.get('state-key')).not.toBeNull()
  expect(await call(page, 'sync.state', { environmentId: id })).toMatchObject({ value: { storage: 'disk' } })
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Staging')
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(`${baseUrl}/staging`)
  keyring.freeze()
  const called = await keyring.listen()
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The entry is noted before it is written. The call comes later.
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

test('a damaged entry, or one of a newer Slipway, is reported as such and left unchanged', async ({
  start,
  userData,
}) => {
  const first = await start()
  const { id: damagedId } = await useEnvironment(first.page, production)
  const { id: newerId } = await useEnvironment(first.page, { name: 'Test', baseUrl: `${baseUrl}/test` })
  await useEnvironment(first.page, { name: 'Staging', baseUrl: `${baseUrl}/staging` })
  const damaged = '{"version":1,"name":"Produ'
  const newer = JSON.stringify({ version: 99, name: 'Test', of: 'the future' })
  await keychainEntries(first, userData).set({ [damagedId]: damaged, [newerId]: newer })
  await first.close()

  const second = await start()
  const { page } = second
  const entries = keychainEntries(second, userData)
  for (const [id, entry, name, words] of [
    [damagedId, damaged, /Production/, 'damaged'],
    [newerId, newer, /Test/, 'newer version of Slipway'],
  ] as const) {
    const row = await environmentRow(page, name)
    await expect(row).toContainText(words)
    await expect(row.getByRole('button', { name: 'Edit' })).toBeDisabled()
    expect(await entries.get(id)).toBe(entry)
  }
  await expect(await environmentRow(page, /Staging/)).toContainText(`${baseUrl}/staging`)
  await expect(keychainNotice(page)).toBeHidden()
})

test('two hundred entries do not keep the window from opening, and none is lost', async ({
  start,
  keyring,
  userData,
}) => {
  const environments = Array.from({ length: 200 }, (_, index) => ({
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
  const first = await start()
  await first.close()
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

  keyring.freeze()
  const slipway = await start()
  await expect(
    slipway.page.getByRole('table', { name: 'Deployments' }).getByRole('link').first(),
  ).toBeVisible()
  const readable = async (): Promise<number> => {
    const state = await call(slipway.page, 'app.state', {})
    if (!state.ok) throw new Error(state.failure.message)
    return state.value.environments.filter(({ storage, profile }) => storage === 'keychain' && profile).length
  }
  expect(await readable(), 'before the keychain answers').toBe(0)
  keyring.thaw()
  await expect.poll(readable).toBe(200)
  await findLastOf(slipway, 200)
})

/** Expects that Tab and Shift+Tab go to the next and the previous row, even if it isn't in view. */
async function tabGoesOn(table: Locator): Promise<void> {
  const page = table.page()
  const button = (rowIndex: number, name: string): Locator =>
    table.locator(`tr[aria-rowindex="${rowIndex}"]`).getByRole('button', { name })
  // The browser scrolls to the focus, and rows that come into view are drawn a frame later.
  const lastDrawn = await table
    .getByRole('button')
    .last()
    .evaluate((element: HTMLElement) => {
      element.focus()
      return Number(element.closest('tr')?.getAttribute('aria-rowindex'))
    })
  await page.keyboard.press('Tab')
  await expect(button(lastDrawn + 1, 'Switch to')).toBeFocused()

  const top = table.getByRole('row', { name: /Sandbox \(cloud\)/ })
  await table.evaluate((element: HTMLElement) =>
    element.parentElement?.scrollTo({ top: element.offsetHeight / 2 }),
  )
  await expect(top).toHaveCount(0)
  await expect(button(lastDrawn + 1, 'Switch to')).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(button(lastDrawn, 'Remove')).toBeFocused()
  await button(lastDrawn, 'Switch to').focus()
  await page.keyboard.press('Shift+Tab')
  await expect(button(lastDrawn - 1, 'Remove')).toBeFocused()
}

/** Expects that the screen and the menu draw only what is in view of `count` environments, and both find the last. */
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
  await tabGoesOn(table)
  await page.keyboard.press('Control+End')
  await expect(lastRow).toBeInViewport({ ratio: 1 })
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
