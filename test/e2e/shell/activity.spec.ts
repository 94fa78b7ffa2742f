import type { Locator, Page } from '@playwright/test'
import { failure } from '@contract'
import { alone, expect, test } from '../support/fixtures'
import { writeJournal } from '../support/files'
import { useEnvironment } from '../support/services/stub-service'
import { inspectScreen } from '../support/page/accessibility'

const cloud = 'built-in-cloud'

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

alone(
  'groups entries by day, hides background syncs that found nothing, and shows one environment alone',
  async ({ start, userData }) => {
    const now = Date.now()
    const entry = (id: string, minutesAgo: number, more: object) => ({
      id,
      startedAt: new Date(now - minutesAgo * 60_000).toISOString(),
      endedAt: new Date(now - minutesAgo * 60_000).toISOString(),
      environmentId: cloud,
      environmentName: 'Sandbox (cloud)',
      ...more,
    })
    const sync = {
      ...{ kind: 'synchronisation', state: 'complete', seen: 40, changed: 0, gone: 0, failure: null },
      ...{ added: 0, quietBefore: 0 },
    }
    const removed = { environmentId: 'of-before', environmentName: 'Removed one' }
    const failed = { kind: 'failure', action: 'List deployments', failure: failure('timeout', 'No answer.') }
    const entries = [
      entry('old', 60 * 24 * 40, { ...failed, ...removed }),
      entry('found', 60 * 24 * 39, { ...sync, automatic: true, added: 3 }),
      entry('quiet', 60 * 24 * 38, { ...sync, automatic: true, seen: 41 }),
      entry('asked-for', 60 * 24 * 37, { ...sync, automatic: false, seen: 42 }),
    ]
    writeJournal(userData, entries)
    const slipway = await start()
    const { page } = slipway
    await openActivity(page)
    await expect(rowOf(page, '3 new')).toBeVisible()
    await expect(rowOf(page, '42 seen')).toBeVisible()
    await expect(rowOf(page, '41 seen')).toHaveCount(0)
    await expect(table(page).getByRole('columnheader', { name: /^\d+ [A-Z][a-z]{2} \d{4}$/ })).toHaveCount(3)

    const quiet = page.getByRole('button', { name: /quiet sync/ })
    await quiet.click()
    await expect(rowOf(page, '41 seen')).toBeVisible()
    await inspectScreen(slipway, 'activity-days')
    await quiet.click()
    await expect(rowOf(page, '41 seen')).toHaveCount(0)
    await page.getByRole('radio', { name: 'Syncs' }).check()
    await expect(rowOf(page, '41 seen'), 'whoever asks for syncs sees all of them').toBeVisible()
    await page.getByRole('radio', { name: 'All' }).check()

    await page.getByRole('combobox', { name: 'Environment' }).click()
    await page.getByRole('option', { name: 'Removed one' }).click()
    await expect(rowOf(page, 'List deployments')).toBeVisible()
    await expect(rowOf(page, '3 new')).toHaveCount(0)
  },
)
