import { sampleIntegrationId } from '@contract'
import { goTo } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

// Every screen as it opens. What opens over a screen, and failures, are in accessibility.spec.ts and beside what they
// belong to.

test('the list, and deployments of two sources', async ({ slipway, page }) => {
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await inspectScreen(slipway, 'deployments')
  const all = await askDirectly(page)
  for (const source of ['repohost', 'internal_docker']) {
    const deployment = all.find((found) => found.source === source)!
    await page.evaluate((id) => {
      location.hash = `#/deployments/${id}`
    }, deployment.id)
    await expect(page.getByRole('heading', { name: deployment.name, level: 1 })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Latest revision' })).toBeVisible()
    await inspectScreen(slipway, `deployment-${source}`)
  }
})

test('the other screens', async ({ slipway, page }) => {
  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'List repositories' }).click()
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('row').nth(5)).toBeVisible()
  await inspectScreen(slipway, 'repositories')

  await goTo(page, 'New deployment')
  await expect(page.getByRole('form', { name: 'New deployment' })).toBeVisible()
  for (const source of ['Repository', 'Internal image']) {
    await page.getByRole('radio', { name: source }).check()
    await inspectScreen(slipway, `new-deployment-${source.toLowerCase().replace(' ', '-')}`)
  }

  await goTo(page, 'Environments')
  await expect(page.getByRole('table', { name: 'Environments' })).toBeVisible()
  await inspectScreen(slipway, 'environments')

  await goTo(page, 'Activity')
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible()
  await inspectScreen(slipway, 'activity')
})
