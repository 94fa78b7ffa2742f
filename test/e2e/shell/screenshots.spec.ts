import type { Page } from '@playwright/test'
import { sampleIntegrationId } from '@contract'
import { askDirectly, deploymentsTable, openSection } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { json, StubService, useEnvironment } from '../support/services/stub-service'

// Screenshots of every screen for people to look at, in .screenshots/. axe-core checks each as well.

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

test.describe.configure({ timeout: 180_000 })

test('deployments', async ({ slipway, page }) => {
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await inspectScreen(slipway, 'deployments')
  await page.getByRole('textbox', { name: 'Search deployments' }).fill('no deployment is called this')
  await expect(page.getByText('No deployment matches the filters')).toBeVisible()
  await inspectScreen(slipway, 'deployments-none-match')
})

test('a deployment', async ({ slipway, page }) => {
  for (const source of ['repohost', 'internal_docker']) {
    const deployment = (await askDirectly(page)).find((found) => found.source === source)!
    await page.evaluate((id) => {
      location.hash = `#/deployments/${id}`
    }, deployment.id)
    await expect(page.getByRole('heading', { name: deployment.name, level: 1 })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Latest revision' })).toBeVisible()
    await inspectScreen(slipway, `deployment-${source}`)
    await openSection(page, 'JSON')
    await expect(page.getByRole('region', { name: 'Deployment as JSON' })).toBeVisible()
  }
})

test('repositories', async ({ slipway, page }) => {
  await goTo(page, 'Repositories')
  await expect(page.getByRole('heading', { name: 'Repositories', level: 1 })).toBeVisible()
  await inspectScreen(slipway, 'repositories-before')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'List repositories' }).click()
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('row').nth(5)).toBeVisible()
  await inspectScreen(slipway, 'repositories')
})

test('new deployment', async ({ slipway, page }) => {
  await goTo(page, 'New deployment')
  await expect(page.getByRole('form', { name: 'New deployment' })).toBeVisible()
  for (const source of ['Repository', 'Internal image']) {
    await page.getByRole('radio', { name: source }).check()
    await inspectScreen(slipway, `new-deployment-${source.toLowerCase().replace(' ', '-')}`)
  }
})

test('environments', async ({ slipway, page }) => {
  await goTo(page, 'Environments')
  await expect(page.getByRole('table', { name: 'Environments' })).toBeVisible()
  await inspectScreen(slipway, 'environments')
  await page.getByRole('button', { name: 'Add environment' }).click()
  await expect(page.getByRole('dialog', { name: 'Environment' })).toBeVisible()
  await inspectScreen(slipway, 'environment-dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Environment: / }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await inspectScreen(slipway, 'environment-menu')
})

test('a protected environment that fails, and activity', async ({ slipway, page }) => {
  slipway.expectErrors(/Failed to load resource/)
  await goTo(page, 'Activity')
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible()
  await inspectScreen(slipway, 'activity-empty')
  await goTo(page, 'Deployments')
  const stub = await StubService.start(json({ detail: 'The API key is missing.' }, 401))
  await useEnvironment(page, {
    name: 'Production EU',
    baseUrl: stub.baseUrl,
    colour: 'brown',
    protected: true,
  })
  await expect(page.getByRole('alert')).toContainText('The API key is missing.')
  await inspectScreen(slipway, 'deployments-failed')
  stub.answer = json({ resources: [], offset: 0 })
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No deployments yet')).toBeVisible()
  await inspectScreen(slipway, 'deployments-empty')
  await stub.close()
  await goTo(page, 'Activity')
  await expect(page.getByText('List deployments').first()).toBeVisible()
  await inspectScreen(slipway, 'activity')
})
