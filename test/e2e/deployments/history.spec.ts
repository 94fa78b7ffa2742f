import type { Page } from '@playwright/test'
import { call } from '../support/bridge'
import { deploymentsTable, openSection } from '../support/page/deployments'
import { openAdvanced } from '../support/page/environment-dialog'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, changingService, useEnvironment } from '../support/services/stub-service'

const region = (page: Page) => page.getByRole('region', { name: 'History' })

async function openHistory(page: Page, name: string): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Deployments', exact: true }).click()
  await deploymentsTable(page).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await openSection(page, 'History')
}

test('keeps the changes of a deployment over a restart, for as many days as the operator chooses', async ({
  start,
}) => {
  const updated = { updated_at: '2026-11-20T00:00:00Z' }
  const { state, stub } = await changingService(anyDeployment(1), anyDeployment(2))
  try {
    const first = await start()
    const { page } = first
    const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl })
    // The history begins with the first synchronisation.
    const readState = async () => {
      const outcome = await call(page, 'history.state', { environmentId })
      return outcome.ok ? outcome.value : null
    }
    await call(page, 'sync.start', { environmentId })
    await expect.poll(async () => (await readState())?.since ?? null).not.toBeNull()
    expect(await readState()).toMatchObject({ entries: 0, days: 90 })

    await openHistory(page, 'stub-1')
    await expect(region(page)).not.toContainText('Status:')
    state.all = [
      {
        ...anyDeployment(1),
        ...updated,
        status: 'AWAITING_DATABASE',
        latest_revision_id: '22222222-0000-4000-8000-000000000002',
        source_revision_config: { repo_ref: 'release' },
        secrets: [{ name: 'TOKEN', value: 'a-value-that-nobody-may-see' }],
      },
      anyDeployment(2),
      anyDeployment(3),
    ]
    await page.getByRole('button', { name: 'Refresh' }).click()
    const row = region(page).getByRole('row').filter({ hasText: 'Seen on its own screen' })
    await expect(row).toContainText('Awaiting database')
    await expect(row).toContainText('New latest revision')
    await expect(row).toContainText('Git ref')
    await expect(row).toContainText('main → release')
    await expect(row).toContainText('Added: TOKEN')
    await inspectScreen(first, 'deployment-history-kept')
    await row.getByRole('checkbox', { name: / UTC/ }).press('Space')
    await expect(region(page).getByRole('button', { name: 'Compare with now' })).toBeEnabled()
    state.all = [{ ...state.all[0], source_revision_config: { repo_ref: 'hotfix' } }, ...state.all.slice(1)]
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(region(page)).toContainText('release → hotfix')
    await region(page).getByRole('button', { name: 'Compare with now' }).press('Enter')
    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeVisible()
    const differing = page.getByRole('table', { name: 'Differences' }).getByRole('row')
    await expect(differing.filter({ hasText: 'hotfix' })).toContainText('release')
    await expect(page.getByRole('region', { name: 'Left side' })).toContainText('From the history')
    await inspectScreen(first, 'compare-history')
    await first.close()

    const again = await start()
    await openHistory(again.page, 'stub-1')
    await expect(region(again.page).getByRole('row').filter({ hasText: 'Awaiting database' })).toHaveCount(1)
    await expect(region(again.page)).not.toContainText('a-value-that-nobody-may-see')
    await openHistory(again.page, 'stub-3')
    await expect(region(again.page)).toContainText('New in the environment')

    const main = again.page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'Environments' }).click()
    const environment = again.page
      .getByRole('table', { name: 'Environments' })
      .getByRole('row', { name: 'Stub' })
    const edit = environment.getByRole('button', { name: 'Edit' })
    const dialog = again.page.getByRole('dialog', { name: 'Environment', exact: true })
    const choice = dialog.getByRole('radiogroup', { name: 'Keep history for' })
    await edit.click()
    await openAdvanced(dialog)
    await expect(choice.getByRole('radio', { name: '90 days' })).toBeChecked()
    await expect(dialog).toContainText('It takes less than 0.1 MB for 3 entries')
    await choice.getByText('365 days').click()
    await inspectScreen(again, 'environment-history')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await edit.click()
    await openAdvanced(dialog)
    await expect(choice.getByRole('radio', { name: '365 days' })).toBeChecked()
  } finally {
    await stub.close()
  }
})

test('draws a time in which nobody looked as a gap', async ({ slipway, page }) => {
  const { state, stub } = await changingService(anyDeployment(1), anyDeployment(2))
  // Moves what is read now three hours into the past.
  await slipway.app.evaluate(() => {
    Date.now = () => new Date().getTime() - 3 * 3_600_000
  })
  const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl })
  await call(page, 'sync.start', { environmentId })
  await expect
    .poll(async () => {
      const outcome = await call(page, 'history.state', { environmentId })
      return outcome.ok && outcome.value.since !== null
    })
    .toBe(true)
  await slipway.app.evaluate(() => {
    Date.now = () => new Date().getTime()
  })
  state.all = [
    { ...anyDeployment(1), status: 'AWAITING_DATABASE', updated_at: '2026-11-20T00:00:00Z' },
    anyDeployment(2),
  ]
  await openHistory(page, 'stub-1')
  const change = region(page).getByRole('row').filter({ hasText: 'Status:' })
  await expect(change).toContainText('Awaiting database')
  const gap = region(page).getByRole('row').filter({ hasText: 'Not observed from' })
  await expect(gap).toContainText(/3 hours ago\) to .+ \(just now\)/)
  const [changeAt, gapAt] = await Promise.all([change, gap].map(async (row) => (await row.boundingBox())?.y))
  expect(changeAt).toBeLessThan(gapAt!)
  await inspectScreen(slipway, 'deployment-history-gap')
  await stub.close()
})
