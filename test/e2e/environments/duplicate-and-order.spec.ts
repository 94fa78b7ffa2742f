import type { Locator, Page } from '@playwright/test'
import { addEnvironment } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

const base = 'http://127.0.0.1:1'

const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Environments' })
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })

async function openEnvironments(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  await expect(page.getByRole('heading', { name: 'Environments', level: 1 })).toBeVisible()
}

const names = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Environments' }).locator('tbody th .name').allInnerTexts()

test('duplicates an environment with the names of its headers, whose values have to be entered', async ({
  slipway,
  page,
}) => {
  await addEnvironment(page, 'Production', `${base}/production`)
  await openEnvironments(page)
  await rowOf(page, 'Production').getByRole('button', { name: 'Duplicate' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
  await expect(dialog.getByRole('note')).toContainText('Enter the values of the request headers')
  await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Production copy')
  await expect(dialog.getByRole('textbox', { name: 'Header name' })).toHaveValue('X-Api-Key')
  await expect(dialog.getByLabel('Header value')).toHaveValue('')
  await inspectScreen(slipway, 'environment-duplicate')

  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Enter the value.')
  await dialog.getByLabel('Header value').fill('another-key')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, 'Production copy')).toContainText(`${base}/production`)
})

test('moves environments with buttons and keys, for the switcher and its digits, also after a restart', async ({
  start,
}) => {
  const first = await start()
  const { page } = first
  for (const name of ['One', 'Two', 'Three']) await addEnvironment(page, name, `${base}/${name}`)
  await openEnvironments(page)
  const sandboxes = ['Sandbox (cloud)', 'Sandbox (self-hosted)']
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
  await page.keyboard.press('Alt+ArrowUp')
  await inspectScreen(first, 'environments-order')
  await first.resize(900, 600)
  await first.close()

  const again = await start()
  await again.page.getByRole('button', { name: /^Environment: / }).click()
  await again.page.keyboard.press('3')
  await expect(again.page.getByRole('button', { name: 'Environment: Three' })).toBeVisible()
})
