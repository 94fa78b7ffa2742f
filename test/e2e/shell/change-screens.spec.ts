/** The screens of what changed, with as many environments as there may be, offline and failing: axe-core on each. */
import type { Page } from '@playwright/test'
import { addEnvironment, call, synchronise, synchroniseNever } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { expectAccessible } from '../support/page/accessibility'
import { goTo } from '../support/page/creation'
import { openSection } from '../support/page/deployments'
import { anyDeployment, changingService, json, useEnvironment } from '../support/services/stub-service'

const notices = (page: Page) => page.getByRole('region', { name: 'Notices' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

async function overview(page: Page, state: string): Promise<void> {
  await goTo(page, 'Overview')
  await expect(heading(page, 'Overview')).toBeVisible()
  await expect(page.getByText('Reading the caches…')).toHaveCount(0)
  await expectAccessible(page, `Overview, ${state}`)
}

async function board(page: Page, state: string): Promise<void> {
  await goTo(page, 'Board')
  await expect(heading(page, 'Board')).toBeVisible()
  await expect(page.getByText('Reading the caches…')).toHaveCount(0)
  await expectAccessible(page, `Board, ${state}`)
}

/** Compares the first two deployments of an environment, or nothing. */
async function compare(page: Page, state: string, environmentId: string | null = null): Promise<void> {
  const side = (index: number): string =>
    encodeURIComponent(`deployment/${environmentId}/${String(anyDeployment(index).id)}`)
  const query = environmentId === null ? '' : `?left=${side(1)}&right=${side(2)}`
  await page.evaluate((path) => {
    location.hash = path
  }, `#/compare${query}`)
  await expect(heading(page, 'Compare')).toBeVisible()
  await expect(page.getByText('Reading…')).toHaveCount(0)
  await expectAccessible(page, `Compare, ${state}`)
}

async function history(page: Page, state: string): Promise<void> {
  await page.evaluate(
    (id) => {
      location.hash = `#/deployments/${id}`
    },
    String(anyDeployment(1).id),
  )
  await expect(heading(page, 'stub-1')).toBeVisible()
  await openSection(page, 'History')
  await expectAccessible(page, `History, ${state}`)
}

async function watches(page: Page, state: string): Promise<void> {
  await page.getByRole('button', { name: /^Notices, / }).click()
  await expectAccessible(page, `Notices, ${state}`)
  await notices(page).getByRole('button', { name: 'Watches', exact: true }).click()
  await expectAccessible(page, `Watches, ${state}`)
  await page.keyboard.press('Escape')
  await expect(notices(page)).toHaveCount(0)
}

const withRevision = (index: number, revision: string) => ({
  ...anyDeployment(index),
  status: ['READY', 'AWAITING_DATABASE', 'UNUSED', `PAUSED_${'FOR_A_REASON_'.repeat(40)}`][index % 4],
  latest_revision_id: revision,
  active_revision_id: 'revision-1',
})

const six = Array.from({ length: 6 }, (_, index) => withRevision(index + 1, 'revision-1'))

test('with nothing to show, or with neither side to be read', async ({ page, slipway }) => {
  await test.step('with nothing to show', async () => {
    const { stub } = await changingService()
    const environmentId = await addEnvironment(page, 'Production', stub.baseUrl)
    await synchroniseNever(page)
    await overview(page, 'never synced')
    await board(page, 'never synced')
    await expect(page.getByText('No environment has been synced')).toBeVisible()
    await compare(page, 'without sides')
    await expect(page.getByText('Choose two sides')).toBeVisible()
    await watches(page, 'empty')
    await synchronise(page, environmentId)
    await overview(page, 'empty')
    await board(page, 'empty')
    await expect(page.getByText('There are no deployments')).toBeVisible()
    await stub.close()
  })
  await test.step('a failure to read both sides is reported once', async () => {
    slipway.expectErrors(/Failed to load resource/)
    const { stub } = await changingService()
    const environmentId = await addEnvironment(page, 'Failing', stub.baseUrl)
    await synchroniseNever(page)
    await compare(page, 'neither side', environmentId)
    await expect(page.getByText('Neither side can be read.')).toBeVisible()
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)
    await stub.close()
  })
})

test('with six environments, offline and failing', async ({ slipway, page }) => {
  slipway.expectErrors(/Failed to load resource/)
  const { state, stub } = await changingService(...six)
  const { id: environmentId, service } = await useEnvironment(page, {
    baseUrl: stub.baseUrl,
    name: 'Production Europe',
  })
  await synchroniseNever(page)
  const watched = await call(page, 'watches.add', {
    environmentId,
    service,
    on: { kind: 'list', name: 'All', query: { filters: {}, search: '' } },
    tells: ['changed', 'appeared', 'gone'],
    stuckMinutes: 30,
    system: false,
  })
  expect(watched.ok).toBe(true)
  await synchronise(page, environmentId)
  state.all = six.map((_, index) => withRevision(index + 1, index % 2 === 0 ? 'revision-2' : 'revision-1'))
  await synchronise(page, environmentId)

  await expect(page.getByRole('button', { name: 'Notices, 1 unread' })).toBeVisible()

  const all = async (now: string): Promise<void> => {
    await overview(page, now)
    await board(page, now)
    await compare(page, now, environmentId)
    await history(page, now)
    await watches(page, now)
  }
  for (const name of [
    'Production Asia',
    'Staging',
    'Development of the customer portal, Frankfurt',
    'A',
    'B',
  ]) {
    const other = await changingService(...six)
    const id = await addEnvironment(page, name, other.stub.baseUrl)
    await synchroniseNever(page)
    await synchronise(page, id)
    await other.stub.close()
  }
  await call(page, 'environments.select', { id: environmentId })

  stub.answer = json({ detail: 'The control plane is being upgraded.' }, 500)
  await overview(page, 'failing')
  await compare(page, 'failing', environmentId)
  await watches(page, 'failing')

  await stub.close()
  await goTo(page, 'Deployments')
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Offline')
  await all('offline')
})
