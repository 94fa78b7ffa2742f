import type { Locator, Page } from '@playwright/test'
import { call, select, synchronise, synchroniseNever } from '../e2e/support/bridge'
import { alone as test, expect } from '../e2e/support/fixtures'
import { expectAccessible } from '../e2e/support/page/accessibility'
import { goTo } from '../e2e/support/page/creation'

const rowOf = (table: Locator, text: string): Locator => table.getByRole('row').filter({ hasText: text })

test('two hundred environments are shown, and a start with them opens the last screen', async ({ start }) => {
  const first = await start()
  const { page } = first
  for (const id of ['built-in-cloud', 'built-in-self-hosted']) {
    await select(page, id)
    await synchroniseNever(page)
    await synchronise(page, id)
  }
  for (let index = 0; index < 198; index += 1) {
    const saved = await call(page, 'environments.save', {
      ...{ id: null, name: `Team ${index}`, baseUrl: `https://team-${index}.example.com`, mode: 'cloud' },
      ...{ colour: 'purple', protected: index % 2 === 0, headers: [], integrations: [] },
    })
    expect(saved.ok).toBe(true)
  }
  await goTo(page, 'Board')
  await expect(page.getByRole('heading', { name: 'Board', level: 1 })).toBeVisible()
  await expect(page.getByText('Reading the caches…')).toHaveCount(0)
  await expectAccessible(page, 'Board')
  await page.getByRole('button', { name: /^Notices, / }).click()
  await expectAccessible(page, 'Notices')
  await page.keyboard.press('Escape')
  await page.evaluate(() => {
    location.hash = '#/compare'
  })
  await expect(page.getByText('Choose two sides')).toBeVisible()
  await expectAccessible(page, 'Compare')

  await goTo(page, 'Overview')
  // A part at a time, and the current one, which comes last as a sandbox.
  const table = page.getByRole('table', { name: 'Environments' })
  const names = table.getByRole('rowheader')
  await expect(names).toHaveCount(11)
  await expect(names.filter({ hasText: 'Current' })).toHaveCount(1)
  await expectAccessible(page, 'Overview')
  for (const [more, drawn] of [
    ['50 of 189', 61],
    ['50 of 139', 111],
    ['50 of 89', 161],
    ['39', 200],
  ] as const) {
    await table
      .locator('..')
      .getByRole('button', { name: `Show ${more} more` })
      .click()
    await expect(names).toHaveCount(drawn)
  }
  await expect(rowOf(table, 'Team 197')).toContainText('Never synced')
  await first.close()

  const second = (await start()).page
  await expect(second.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  const environments = second.getByRole('table', { name: 'Environments' })
  await expect(rowOf(environments, 'Sandbox (self-hosted)')).toContainText('250 deployments')
  await findLastOf(second, 200)
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
async function findLastOf(page: Page, count: number): Promise<void> {
  const last = 'Team 197'
  const mounted = 80
  await goTo(page, 'Environments')
  const table = page.getByRole('table', { name: 'Environments' })
  await expect(table).toHaveAttribute('aria-rowcount', String(count + 1))
  expect(await table.locator('tr').count()).toBeLessThan(mounted)
  const lastRow = table.getByRole('row', { name: new RegExp(last) })
  await expect(lastRow).toHaveCount(0)
  await tabGoesOn(table)
  await page.keyboard.press('Control+End')
  await expect(lastRow).toBeInViewport({ ratio: 1 })
  await expect(lastRow).toHaveAttribute('aria-rowindex', String(count + 1))
  expect(await table.locator('tr').count()).toBeLessThan(mounted)
  await expectAccessible(page, 'Environments')
  await page.getByRole('textbox', { name: 'Search environments' }).fill(last)
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(lastRow.getByRole('button', { name: 'Edit' })).toBeEnabled()

  await page.keyboard.press('Control+e')
  const menu = page.getByRole('menu', { name: 'Environments' })
  await expect(menu.getByRole('menuitem', { name: 'Sandbox (self-hosted)', exact: true })).toBeFocused()
  expect(await menu.getByRole('menuitem').count()).toBeLessThan(mounted)
  await page.keyboard.press('End')
  const lastItem = menu.getByRole('menuitem', { name: last, exact: true })
  await expect(lastItem).toBeFocused()
  await expect(lastItem).toBeInViewport()
  await page.keyboard.press('Home')
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.type('team 197')
  const filter = page.getByRole('textbox', { name: 'Filter environments' })
  await expect(filter).toHaveValue('team 197')
  await expect(menu.getByRole('menuitem')).toHaveCount(1)
  await page.keyboard.press('ArrowDown')
  await expect(lastItem).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Environment: ${last}`, exact: true })).toBeFocused()
}
