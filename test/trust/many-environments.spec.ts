import type { Locator } from '@playwright/test'
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
})
