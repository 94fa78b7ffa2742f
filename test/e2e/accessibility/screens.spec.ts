import { sampleIntegrationId } from '@contract'
import { goTo, openForm } from '../support/page/creation'
import { askDirectly, deploymentsTable, setPageSize } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

// Every screen as it opens. What opens over a screen, and failures, are in accessibility.spec.ts and beside what they
// belong to.

const inDark = [{ colorScheme: 'dark' }] as const

test('every screen is accessible, in light and in dark', async ({ slipway, page }) => {
  await setPageSize(page, 10)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  await inspectScreen(slipway, 'deployments', inDark)
  const { id, name } = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
  await page.evaluate((found) => (location.hash = `#/deployments/${found}`), id)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Latest revision' })).toBeVisible()
  await inspectScreen(slipway, 'deployment', inDark)

  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'List repositories' }).click()
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('row').nth(5)).toBeVisible()
  await inspectScreen(slipway, 'repositories', inDark)

  await openForm(page)
  await inspectScreen(slipway, 'new-deployment', inDark)
  for (const screen of ['Environments', 'Activity', 'Overview', 'Board']) {
    await goTo(page, screen)
    await expect(page.getByRole('heading', { name: screen, level: 1 })).toBeVisible()
    await expect(page.getByRole('main').locator('[aria-busy="true"]')).toHaveCount(0)
    await inspectScreen(slipway, screen.toLowerCase(), inDark)
  }
})
