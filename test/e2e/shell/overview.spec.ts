import type { Locator, Page } from '@playwright/test'
import { addEnvironment, call, select, synchronise, synchroniseNever } from '../support/bridge'
import { goTo } from '../support/page/creation'
import { deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { expectAccessible, inspectScreen } from '../support/page/accessibility'
import {
  anyDeployment,
  changingService,
  listOf,
  StubService,
  useEnvironment,
} from '../support/services/stub-service'

const environments = (page: Page): Locator => page.getByRole('table', { name: 'Environments' })
const attention = (page: Page): Locator => page.getByRole('table', { name: 'Needs attention' })
const rowOf = (table: Locator, text: string): Locator => table.getByRole('row').filter({ hasText: text })

async function open(page: Page): Promise<void> {
  await goTo(page, 'Overview')
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeFocused()
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** A service whose requests are counted. */
async function countingService(...all: Record<string, unknown>[]) {
  const requests = { count: 0 }
  const answer = listOf(() => all)
  const stub = await StubService.start((...args) => {
    requests.count += 1
    answer(...args)
  })
  return { stub, requests }
}

test('says what was never synced, syncs it from the keyboard, and leads back to a row beyond the first ones', async ({
  slipway,
  page,
}) => {
  await test.step('an environment that was never synced says so, and is opened and synced from the keyboard', async () => {
    // A fresh installation starts with the list.
    await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible()
    const { stub } = await countingService(anyDeployment(1), anyDeployment(2))
    const saved = await call(page, 'environments.save', {
      ...{ id: null, name: 'Harbour', baseUrl: stub.baseUrl, mode: 'cloud', colour: 'purple' },
      ...{ protected: false, headers: [], integrations: [] },
    })
    expect(saved.ok).toBe(true)
    await open(page)
    await expect(page.getByRole('region', { name: 'Current environment' })).toHaveText('All environments')
    const row = rowOf(environments(page), 'Harbour')
    await expect(row).toContainText('Never synced')
    await expect(row).toContainText('Not asked yet')
    await row.getByRole('button', { name: 'Open and sync Harbour' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()
    await expect(page.getByRole('button', { name: 'Environment: Harbour' })).toBeVisible()
    await open(page)
    await expect(row).toContainText('Synced')
    await expect(row).toContainText('2 deployments')
    await inspectScreen(slipway, 'overview')
    await stub.close()
  })
  await goTo(page, 'Activity')
  await test.step('going back leads to a row that was beyond the first ones', async () => {
    const all = Array.from({ length: 60 }, (_, index) => ({ ...anyDeployment(index), status: 'PAUSED' }))
    const { state, stub } = await changingService(...all)
    const id = await addEnvironment(page, 'Far', stub.baseUrl)
    await synchroniseNever(page)
    await synchronise(page, id)
    state.all = all.map((one) => ({ ...one, status: 'HALTED', updated_at: minutesAgo(5) }))
    await synchronise(page, id)
    await open(page)
    const links = attention(page).getByRole('rowheader').getByRole('link')
    await expect(links).toHaveCount(10)
    await attention(page)
      .locator('..')
      .getByRole('button', { name: /^Show \d+( of \d+)? more$/ })
      .press('Enter')
    const link = links.nth(45)
    const name = (await link.textContent())!
    await link.press('Enter')
    await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(attention(page).getByRole('link', { name, exact: true })).toBeFocused()
    await stub.close()
  })
})

test('shows each environment its own deployments, asks no service, and links to what it counts', async ({
  slipway,
  page,
}) => {
  const east = await countingService(
    { ...anyDeployment(1), name: 'stuck', status: 'AWAITING_DATABASE', updated_at: minutesAgo(50) },
    { ...anyDeployment(2), name: 'fresh', status: 'AWAITING_DATABASE', updated_at: minutesAgo(5) },
    { ...anyDeployment(3), name: 'odd', status: 'PAUSED' },
    anyDeployment(4),
  )
  // The same identifiers, as another installation may have them.
  const west = await countingService(
    { ...anyDeployment(1), name: 'other' },
    { ...anyDeployment(3), name: 'same' },
  )
  const eastId = await addEnvironment(page, 'East', east.stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, eastId)
  const westId = await addEnvironment(page, 'West', west.stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, westId)
  await open(page)

  await expect(rowOf(environments(page), 'East')).toContainText('4 deployments')
  await expect(rowOf(environments(page), 'West')).toContainText('2 deployments')
  // The operator's own come first.
  await expect(environments(page).getByRole('rowheader')).toHaveText([/East/, /West/, /Sandbox/, /Sandbox/])
  // The sandbox has some as well.
  const ofEast = rowOf(attention(page), 'East').getByRole('rowheader')
  await expect(ofEast).toHaveText(['odd', 'stuck'])
  await expect(rowOf(attention(page), 'stuck')).toContainText('Awaiting database')
  await expect(rowOf(attention(page), 'odd')).toContainText('Unknown status: PAUSED')

  // Sooner, if the operator sets it so. No request was sent meanwhile.
  const before = [east.requests.count, west.requests.count]
  await page.getByRole('combobox', { name: 'Under way for longer than' }).click()
  await page.getByRole('option', { name: '4 hours' }).click()
  await expect(ofEast).toHaveText(['odd'])
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(rowOf(environments(page), 'East')).toContainText('4 deployments')
  expect([east.requests.count, west.requests.count]).toEqual(before)

  await environments(page).getByRole('link', { name: '2 Awaiting database in East' }).click()
  await expect(page.getByRole('button', { name: 'Environment: East' })).toBeVisible()
  await expect(deploymentsTable(page)).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Awaiting database')

  await open(page)
  await attention(page).getByRole('link', { name: 'odd' }).click()
  await expect(page.getByRole('heading', { name: 'odd', level: 1 })).toBeVisible()

  // The environment now leads to another service: nothing of the first is shown under its name.
  await open(page)
  await select(page, westId)
  const edited = await call(page, 'environments.save', {
    ...{ id: eastId, name: 'East', baseUrl: west.stub.baseUrl, mode: 'cloud', colour: 'teal' },
    ...{ protected: false, headers: [], integrations: [] },
  })
  expect(edited).toMatchObject({ ok: true })
  await expect(rowOf(environments(page), 'East')).toContainText('Never synced')
  await expect(rowOf(environments(page), 'East')).toContainText('Not asked yet')
  await expect(ofEast).toHaveCount(0)

  await west.stub.close()
  slipway.expectErrors(/Failed to load resource/)
  await goTo(page, 'Deployments')
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Offline')
  await open(page)
  await expect(rowOf(environments(page), 'West')).toContainText('Not reached')
  await expect(rowOf(environments(page), 'West')).toContainText('2 deployments')
  await east.stub.close()
})

test('shows what changed and where, also since last time, and the statuses over time with their table', async ({
  slipway,
  page,
}) => {
  const all = [anyDeployment(1), anyDeployment(2), anyDeployment(3)]
  const stub = await StubService.start(listOf(() => all))
  const id = await addEnvironment(page, 'East', stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, id)
  await open(page)
  const changes = page.getByRole('table', { name: 'Changes' })
  await expect(page.getByText('No changes in this period.')).toBeVisible()
  // The screen wasn't left before, so there is no "Since last time".
  await expect(page.getByRole('radio')).toHaveCount(2)
  await goTo(page, 'Activity')

  all[0] = { ...anyDeployment(1), status: 'UNUSED', updated_at: minutesAgo(0) }
  all.push({ ...anyDeployment(4), name: 'newcomer' })
  all.splice(1, 1)
  await synchronise(page, id)
  await open(page)
  await expect(changes.getByRole('rowheader')).toHaveCount(3)
  await expect(rowOf(changes, 'stub-1')).toContainText('Ready → Unused')
  await expect(rowOf(changes, 'stub-2')).toContainText('Gone, was Ready')
  await expect(rowOf(changes, 'newcomer')).toContainText('New, Ready')
  for (const name of ['stub-1', 'stub-2', 'newcomer'])
    await expect(rowOf(changes, name)).toContainText('East')
  await page.getByRole('radio', { name: 'Since last time' }).check()
  await expect(changes.getByRole('rowheader')).toHaveCount(3)

  const figure = page.getByRole('figure', { name: 'Status over time' })
  await expect(figure).toContainText('Unused')
  const numbers = figure.getByRole('table', { name: 'Status over time' })
  await expect(numbers).toHaveCount(0)
  await figure.locator('summary').focus()
  await page.keyboard.press('Enter')
  await expect(numbers.getByRole('columnheader')).toHaveText(['From', 'Ready', 'Unused'])
  await expect(numbers).toContainText(/UTC21/)
  await inspectScreen(slipway, 'overview-changes')

  // Coming back soon counts as the same visit.
  await goTo(page, 'Activity')
  await open(page)
  await expect(page.getByRole('radio', { name: 'Since last time' })).toBeChecked()
  await expect(changes.getByRole('rowheader')).toHaveCount(3)
  await page.getByRole('radio', { name: '24 hours' }).check()
  await changes.getByRole('link', { name: 'newcomer' }).click()
  await expect(page.getByRole('heading', { name: 'newcomer', level: 1 })).toBeVisible()
  await stub.close()
})

test('Overview, Board and Compare say that they have nothing to show, and that neither side can be read', async ({
  slipway,
  page,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const { stub } = await changingService()
  const environmentId = await addEnvironment(page, 'Production', stub.baseUrl, false)
  await goTo(page, 'Board')
  await expect(page.getByText('No environment has been synced')).toBeVisible()
  await expectAccessible(page, 'Board, never synced')
  await page.evaluate(() => (location.hash = '#/compare'))
  await expect(page.getByText('Choose two sides')).toBeVisible()
  await expectAccessible(page, 'Compare, without sides')
  const side = (index: number) =>
    encodeURIComponent(`deployment/${environmentId}/${String(anyDeployment(index).id)}`)
  await page.evaluate((path) => (location.hash = path), `#/compare?left=${side(1)}&right=${side(2)}`)
  await expect(page.getByText('Neither side can be read.')).toBeVisible()
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)
  await synchronise(page, environmentId)
  await goTo(page, 'Board')
  await expect(page.getByText('There are no deployments')).toBeVisible()
  await goTo(page, 'Overview')
  await expectAccessible(page, 'Overview, empty')
  await stub.close()
})

test('Activity shows new creations and failures while it is open, and links to what was created, but nothing of another service', async ({
  slipway,
  page,
  services,
}) => {
  const { id } = await useEnvironment(page, { name: 'Noted', baseUrl: services.cloud.url })
  const activity = page.getByRole('table', { name: 'Activity' })
  const create = (name: string, source_config: { custom_url?: string } = {}) =>
    call(page, 'deployments.create', {
      environmentId: id,
      request: {
        name,
        source: 'internal_docker',
        source_config,
        source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        secrets: [{ name: 'TOKEN', value: 's3cret-of-a-creation' }],
      },
      confirmedName: null,
    })
  await goTo(page, 'Activity')
  await expect(page.getByRole('region', { name: 'Current environment' })).toHaveText('All environments')
  expect(await create('noted-agent')).toMatchObject({ ok: true })
  const created = rowOf(activity, 'Created noted-agent')
  await expect(created).toContainText('from internal image')
  await expect(created).toContainText('Noted')
  await expect(created.getByRole('cell', { name: 'Created', exact: true })).toBeVisible()

  // The service refuses it for this source.
  const config = { custom_url: 'https://agent.example.com' }
  expect(await create('refused-agent', config)).toMatchObject({ failure: { status: 400 } })
  const refused = rowOf(activity, 'Tried to create refused-agent')
  await expect(refused).toContainText('Rejected')
  const integrationId = '00000000-0000-4000-8000-00000000dead'
  expect(await call(page, 'repositories.list', { environmentId: id, integrationId })).toMatchObject({
    ok: false,
  })
  const listing = rowOf(activity, 'List repositories').first()
  await expect(listing).toContainText('Failed')

  const details = refused.getByRole('button', { name: 'Details' })
  await expect(refused).toContainText('(400)')
  await refused.getByRole('cell', { name: 'Rejected', exact: true }).click()
  await expect(details).toHaveAttribute('aria-expanded', 'true')
  await expect(activity).toContainText('Service response:')
  await inspectScreen(slipway, 'activity')

  await page.getByRole('radio', { name: 'Creations' }).check()
  await expect(rowOf(activity, 'List repositories')).toHaveCount(0)
  await expect(created).toBeVisible()
  await page.getByRole('radio', { name: 'Failures' }).check()
  await expect(created).toHaveCount(0)
  await expect(listing).toBeVisible()
  await page.getByRole('radio', { name: 'All' }).check()

  const link = created.getByRole('link', { name: 'noted-agent' })
  await link.click()
  await expect(page.getByRole('heading', { name: 'noted-agent', level: 1 })).toBeVisible()
  expect(await page.content()).not.toContain('s3cret-of-a-creation')
  await goTo(page, 'Activity')
  await useEnvironment(page, { id, name: 'Noted', baseUrl: `${services.cloud.url}/elsewhere` })
  await expect(created).toBeVisible()
  await expect(link).toHaveCount(0)
  await useEnvironment(page, { id, name: 'Noted', baseUrl: services.cloud.url })
  await expect(link).toBeVisible()
})
