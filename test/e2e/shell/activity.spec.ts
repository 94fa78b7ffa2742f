import type { Locator, Page } from '@playwright/test'
import { failure } from '@contract'
import { alone, expect, test } from '../support/fixtures'
import { writeJournal } from '../support/files/state-file'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'
import { inspectScreen } from '../support/page/screens'

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
    [name, { environmentId: cloud, ...input }] as const,
  )
}

/** What a created deployment has in the journal, besides its place. */
const inJournal = {
  ...{ kind: 'creation', source: 'internal_docker', state: 'created', failure: null, lookup: null },
  ...{ lookFailure: null, sentAgain: 0, service: { salt: '', identity: '' }, sent: null },
}

function create(
  page: Page,
  name: string,
  environmentId = cloud,
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

alone(
  'shows new creations and failures while it is open, links to what was created, and keeps them over a restart',
  async ({ slipway, page, start }) => {
    await expect(page.getByRole('table', { name: 'Deployments' })).toBeVisible()
    await openActivity(page)
    await expect(page.getByRole('region', { name: 'Current environment' })).toHaveText('All environments')
    // The synchronisation in the background shows too, as soon as it begins.
    await page.getByRole('radio', { name: 'Creations' }).check()
    await page.getByRole('radio', { name: 'All' }).check()

    expect(await create(page, 'noted-agent')).toMatchObject({ ok: true })
    const created = rowOf(page, 'Created noted-agent')
    await expect(created).toContainText('from internal image')
    await expect(created).toContainText('Sandbox (cloud)')
    await expect(created.getByRole('cell', { name: 'Created', exact: true })).toBeVisible()

    // The service refuses it for this source.
    const config = { custom_url: 'https://agent.example.com' }
    expect(await create(page, 'refused-agent', cloud, config)).toMatchObject({ failure: { status: 400 } })
    const refused = rowOf(page, 'Tried to create refused-agent')
    await expect(refused).toContainText('Rejected')

    const integrationId = '00000000-0000-4000-8000-00000000dead'
    expect(await call(page, 'repositories.list', { integrationId })).toMatchObject({ ok: false })
    await expect(rowOf(page, 'List repositories')).toContainText('Failed')

    for (const row of [created, refused, rowOf(page, 'List repositories')])
      expect(await row.evaluate((one) => one.getBoundingClientRect().height)).toBe(40)
    const details = refused.getByRole('button', { name: 'Details' })
    await expect(refused).not.toContainText('from internal image')
    await expect(refused).toContainText('(400)')
    await refused.getByRole('cell', { name: 'Rejected', exact: true }).click()
    await expect(details).toHaveAttribute('aria-expanded', 'true')
    await expect(refused).toContainText('from internal image')
    await refused.getByRole('cell', { name: 'Rejected', exact: true }).click()
    await expect(details).toHaveAttribute('aria-expanded', 'false')

    const opacity = () => details.evaluate((button) => getComputedStyle(button).opacity)
    await page.mouse.move(640, 780)
    await expect.poll(opacity).toBe('0')
    await details.focus()
    await expect.poll(opacity).toBe('1')
    await details.click()
    await expect(table(page)).toContainText('Service response:')
    await page.mouse.move(640, 780)
    await page.getByRole('heading', { level: 1 }).focus()
    await expect.poll(opacity, 'it shows that the details are open').toBe('1')
    await inspectScreen(slipway, 'activity')

    await page.getByRole('radio', { name: 'Creations' }).check()
    await expect(rowOf(page, 'List repositories')).toHaveCount(0)
    await expect(created).toBeVisible()
    await page.getByRole('radio', { name: 'Failures' }).check()
    await expect(created).toHaveCount(0)
    await expect(rowOf(page, 'List repositories')).toBeVisible()
    await page.getByRole('radio', { name: 'All' }).check()

    await created.getByRole('link', { name: 'noted-agent' }).click()
    await expect(page.getByRole('heading', { name: 'noted-agent', level: 1 })).toBeVisible()
    expect(await page.content()).not.toContain('s3cret-of-a-creation')

    // It links to nothing of another environment.
    await openActivity(page)
    await page.getByRole('button', { name: 'Environment: Sandbox (cloud)' }).click()
    await page.getByRole('menuitem', { name: 'Sandbox (self-hosted)' }).click()
    await expect(created.getByRole('link')).toHaveCount(0)
    await slipway.close()
    const again = await start()
    await openActivity(again.page)
    await expect(rowOf(again.page, 'Created noted-agent')).toContainText('Sandbox (cloud)')
  },
)

test('links to nothing of the new service of an edited environment, also after a restart', async ({
  start,
}) => {
  const made = (): object => ({
    ...anyDeployment(1),
    name: 'made-before',
    source: 'internal_docker',
    source_config: {},
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    created_at: new Date().toISOString(),
  })
  const stub = await StubService.start((query, response, headers) => {
    const answer = response.req.method === 'POST' ? json(made(), 201) : json({ resources: [], offset: 0 })
    answer(query, response, headers)
  })
  const slipway = await start()
  const { id } = await useEnvironment(slipway.page, { baseUrl: stub.baseUrl })
  expect(await create(slipway.page, 'made-before', id)).toMatchObject({ ok: true })
  await openActivity(slipway.page)
  const link = (page: Page): Locator => rowOf(page, 'made-before').getByRole('link')
  await expect(link(slipway.page)).toBeVisible()
  await useEnvironment(slipway.page, { id, baseUrl: `${stub.baseUrl}/elsewhere` })
  await expect(link(slipway.page)).toHaveCount(0)
  await slipway.close()

  const { page } = await start()
  await openActivity(page)
  await expect(rowOf(page, 'made-before')).toContainText('Created')
  await expect(link(page)).toHaveCount(0)
  await useEnvironment(page, { id, baseUrl: stub.baseUrl })
  await expect(link(page)).toBeVisible()
  await stub.close()
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
    await slipway.resize(900, 600)
  },
)

alone(
  'shows a creation under Creations, however many came after it, and links to none that cannot be linked',
  async ({ start, userData }) => {
    const entry = (id: string, more: object) => ({
      id,
      startedAt: '2026-11-21T10:00:00.000Z',
      endedAt: '2026-11-21T10:00:01.000Z',
      environmentId: cloud,
      environmentName: 'Sandbox (cloud)',
      ...more,
    })
    const entries = [
      entry('creation', { ...inJournal, name: 'created-long-ago', deploymentId: 'd-1' }),
      // Half a surrogate pair, which no link can hold.
      entry('unlinked', { ...inJournal, name: 'agent-of-before', deploymentId: 'd-\ud800' }),
      ...Array.from({ length: 1_200 }, (_, index) =>
        entry(`failure-${index}`, {
          kind: 'failure',
          action: 'List deployments',
          failure: failure('timeout', 'No answer came in time.'),
        }),
      ),
    ]
    writeJournal(userData, entries)
    const { page } = await start()
    await openActivity(page)
    await expect(rowOf(page, 'List deployments').first()).toBeVisible()
    await page.getByRole('radio', { name: 'Creations' }).check()
    await expect(rowOf(page, 'Created created-long-ago')).toBeVisible()
    await expect(rowOf(page, 'Created agent-of-before').getByRole('link')).toHaveCount(0)
    await expect(rowOf(page, 'List deployments')).toHaveCount(0)
  },
)

alone(
  'draws the rows in view of many entries, and the keyboard reaches the last one',
  async ({ start, userData }) => {
    const entry = (index: number, more: object) => ({
      id: `e-${index}`,
      startedAt: new Date(Date.parse('2026-11-21T10:00:00.000Z') + index * 60_000).toISOString(),
      endedAt: null,
      environmentId: cloud,
      environmentName: 'Sandbox (cloud)',
      ...more,
    })
    const failed = { kind: 'failure', action: 'List deployments', failure: failure('timeout', 'No answer.') }
    // The rows have two heights.
    const entries = Array.from({ length: 150 }, (_, index) =>
      index % 3 === 0
        ? entry(index, failed)
        : entry(index, { ...inJournal, name: `agent-${index}`, deploymentId: `d-${index}` }),
    )
    writeJournal(userData, entries)
    const { page } = await start()
    await openActivity(page)
    await page.getByRole('radio', { name: 'Creations' }).check()
    await page.getByRole('radio', { name: 'All' }).check()
    const toggles = table(page).getByRole('button', { name: 'Details' })
    await expect(toggles.first()).toBeVisible()
    await expect(table(page)).toHaveAttribute('aria-rowcount', /^15[0-9]$/)
    expect(await table(page).getByRole('row').count()).toBeLessThan(60)

    // Details stay open while their row is out of view.
    await toggles.first().press('Enter')
    await expect(toggles.first()).toHaveAttribute('aria-expanded', 'true')
    await page.keyboard.press('Control+End')
    const last = rowOf(page, 'List deployments').last()
    await expect(last).toHaveAttribute('aria-rowindex', (await table(page).getAttribute('aria-rowcount'))!)
    await expect(last).toBeInViewport({ ratio: 1 })
    expect(await table(page).getByRole('row').count()).toBeLessThan(60)

    // The focused row is far out of view. Tab goes from it to the row after its details.
    await expect(toggles.first()).toBeFocused()
    await expect(toggles.first()).toHaveAttribute('aria-expanded', 'true')
    const rowIndex = (toggle: Locator): Promise<number> =>
      toggle.evaluate((button) => Number(button.closest('tr')?.getAttribute('aria-rowindex')))
    const first = await rowIndex(toggles.first())
    await page.keyboard.press('Tab')
    await expect(toggles.nth(1)).toBeFocused()
    await expect(toggles.nth(1)).toBeInViewport()
    // Its details come between, and two creations, which have none.
    expect(await rowIndex(toggles.nth(1))).toBe(first + 4)
  },
)
