import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/fixtures'
import { useEnvironment } from '../support/services/stub-service'
import { inspectScreen } from '../support/page/accessibility'

const table = (page: Page): Locator => page.getByRole('table', { name: 'Activity' })
const rowOf = (page: Page, text: string): Locator => table(page).getByRole('row').filter({ hasText: text })

async function openActivity(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible()
}

/** Makes a call through the bridge, as a screen does. The journal records its outcome. */
function call(page: Page, name: 'deployments.create' | 'repositories.list', input: object): Promise<unknown> {
  return page.evaluate(
    async ([name, input]) =>
      JSON.parse(await window.slipway.calls[name](`test-${Math.random()}`, input)) as unknown,
    [name, input] as const,
  )
}

function create(
  page: Page,
  name: string,
  environmentId: string,
  source_config: object = {},
): Promise<unknown> {
  const request = {
    name,
    source: 'internal_docker',
    source_config,
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [{ name: 'TOKEN', value: 's3cret-of-a-creation' }],
  }
  return call(page, 'deployments.create', { environmentId, request, confirmedName: null })
}

test('shows new creations and failures while it is open, and links to what was created, but nothing of another service', async ({
  slipway,
  page,
  services,
}) => {
  const { id } = await useEnvironment(page, { name: 'Noted', baseUrl: services.cloud.url })
  await openActivity(page)
  await expect(page.getByRole('region', { name: 'Current environment' })).toHaveText('All environments')
  expect(await create(page, 'noted-agent', id)).toMatchObject({ ok: true })
  const created = rowOf(page, 'Created noted-agent')
  await expect(created).toContainText('from internal image')
  await expect(created).toContainText('Noted')
  await expect(created.getByRole('cell', { name: 'Created', exact: true })).toBeVisible()

  // The service refuses it for this source.
  const config = { custom_url: 'https://agent.example.com' }
  expect(await create(page, 'refused-agent', id, config)).toMatchObject({ failure: { status: 400 } })
  const refused = rowOf(page, 'Tried to create refused-agent')
  await expect(refused).toContainText('Rejected')
  const integrationId = '00000000-0000-4000-8000-00000000dead'
  expect(await call(page, 'repositories.list', { environmentId: id, integrationId })).toMatchObject({
    ok: false,
  })
  const listing = rowOf(page, 'List repositories').first()
  await expect(listing).toContainText('Failed')

  const details = refused.getByRole('button', { name: 'Details' })
  await expect(refused).toContainText('(400)')
  await refused.getByRole('cell', { name: 'Rejected', exact: true }).click()
  await expect(details).toHaveAttribute('aria-expanded', 'true')
  await expect(table(page)).toContainText('Service response:')
  await inspectScreen(slipway, 'activity')

  await page.getByRole('radio', { name: 'Creations' }).check()
  await expect(rowOf(page, 'List repositories')).toHaveCount(0)
  await expect(created).toBeVisible()
  await page.getByRole('radio', { name: 'Failures' }).check()
  await expect(created).toHaveCount(0)
  await expect(listing).toBeVisible()
  await page.getByRole('radio', { name: 'All' }).check()

  const link = created.getByRole('link', { name: 'noted-agent' })
  await link.click()
  await expect(page.getByRole('heading', { name: 'noted-agent', level: 1 })).toBeVisible()
  expect(await page.content()).not.toContain('s3cret-of-a-creation')
  await openActivity(page)
  await useEnvironment(page, { id, name: 'Noted', baseUrl: `${services.cloud.url}/elsewhere` })
  await expect(created).toBeVisible()
  await expect(link).toHaveCount(0)
  await useEnvironment(page, { id, name: 'Noted', baseUrl: services.cloud.url })
  await expect(link).toBeVisible()
})
