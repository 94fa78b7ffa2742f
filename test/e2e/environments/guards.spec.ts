import type { Locator, Page } from '@playwright/test'
import { call } from '../support/bridge'
import { deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

const navigation = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const bar = (page: Page): Locator => page.getByRole('region', { name: 'Current environment' })

test('in a read-only environment nothing can be created, neither from the page nor by a direct call', async ({
  slipway,
  page,
}) => {
  const methods: string[] = []
  const one = json({ resources: [anyDeployment(1)], offset: 1 })
  const stub = await StubService.start((query, response, headers) => {
    methods.push(response.req.method ?? '')
    one(query, response, headers)
  })
  const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl, readOnly: true })
  await expect(bar(page)).toContainText('Read-only')
  await expect(navigation(page).getByRole('link', { name: 'New deployment' })).toHaveCount(0)
  await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
  await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Clone', exact: true })).toHaveCount(0)
  await page.evaluate(() => (location.hash = '#/new'))
  await expect(page.getByText('Stub is read-only', { exact: true })).toBeVisible()
  await expect(page.getByRole('form', { name: 'New deployment' })).toHaveCount(0)
  await inspectScreen(slipway, 'read-only-new')

  const created = await call(page, 'deployments.create', {
    environmentId,
    request: {
      name: 'forced',
      source: 'internal_docker',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    },
    confirmedName: 'Stub',
    again: null,
  })
  expect(created).toMatchObject({ ok: false, failure: { code: 'not-allowed', sent: 'no' } })
  expect(methods).not.toContain('POST')

  await navigation(page).getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('row', { name: 'Stub' }).getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await expect(dialog.getByRole('switch', { name: 'Read-only' })).toBeChecked()
  await inspectScreen(slipway, 'read-only-dialog')
  await dialog.getByText('Read-only', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(navigation(page).getByRole('link', { name: 'New deployment' })).toBeVisible()
  await stub.close()
})

test('a protected environment is removed by its name alone, and one that denies access says so once', async ({
  slipway,
  page,
}) => {
  await test.step('removing a protected environment requires its name, also in a direct call', async () => {
    const { id } = await useEnvironment(page, { name: 'Production', protected: true })
    expect(await call(page, 'environments.remove', { id, confirmedName: null })).toMatchObject({
      failure: { code: 'confirmation-needed' },
    })
    await navigation(page).getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('row', { name: 'Production' }).getByRole('button', { name: 'Remove' }).click()
    const question = page.getByRole('dialog', { name: 'Remove environment' })
    const remove = question.getByRole('button', { name: 'Remove' })
    const name = question.getByRole('textbox', { name: 'Environment name' })
    await expect(name).toBeFocused()
    await name.fill('production')
    await expect(remove).toBeDisabled()
    await inspectScreen(slipway, 'environment-remove-protected')
    await name.fill('Production')
    await remove.click()
    await expect(page.getByRole('row', { name: 'Production' })).toHaveCount(0)
  })
  await navigation(page).getByRole('link', { name: 'Deployments' }).click()
  await test.step('a service that does not accept the key is not shown as online, and the window says so once', async () => {
    slipway.expectErrors(/Failed to load resource/)
    const stub = await StubService.start(json({ detail: 'The API key is missing.' }, 401))
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    const status = page.getByRole('status', { name: 'Connection' })
    await expect(status).toHaveText('Access denied')
    await expect(page.getByText('The API key is missing.')).toHaveCount(1)
    stub.answer = json({ resources: [anyDeployment(1)], offset: 1 })
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
    await expect(status).toHaveText('Online')
    await stub.close()
  })
})
