import { expect, type Page } from '@playwright/test'
import type { CachedPage } from '@contract/cache'
import { type RunningService, startService } from '../../../support/service/service-process'
import { addEnvironment, call } from '../../support/bridge'
import { deploymentsTable } from '../../support/page/deployments'
import { test } from '../../support/fixtures'
import { inspectScreen } from '../../support/page/screens'

const size = 2000

let service: RunningService

test.describe.configure({ timeout: 240_000 })

test.beforeEach(async () => {
  service = await startService({ mode: 'cloud', sample: size })
})

test.afterEach(() => service.dispose())

/** The cached deployments from an index on, in the default order or by name. */
async function copyFrom(
  page: Page,
  environmentId: string,
  offset: number,
  by: 'created_at' | 'name' = 'created_at',
): Promise<CachedPage> {
  const query = { filters: {}, search: '', sort: { by, descending: by === 'created_at' } }
  const request = { query, offset, limit: 20, snapshot: null }
  const outcome = await call(page, 'cache.page', { environmentId, request })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure))
  return outcome.value
}

test('scrolls through thousands of cached rows, with the mouse and with the keyboard', async ({
  slipway,
}) => {
  const { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect
    .poll(
      async () => {
        const state = await call(page, 'sync.state', { environmentId: id })
        return state.ok ? state.value.last?.end : null
      },
      { timeout: 120_000 },
    )
    .toBe('complete')

  const table = deploymentsTable(page)
  const row = (place: number) => table.locator(`tbody tr[aria-rowindex="${place + 2}"]`)
  const link = (place: number) => row(place).getByRole('link')
  await expect(table).toHaveAttribute('aria-rowcount', String(size + 1))
  await expect(link(0)).toHaveText((await copyFrom(page, id, 0)).deployments[0]!.name)

  // Only the rows in view are drawn, with the cached deployments of those indexes.
  const scroller = page.getByRole('group', { name: 'Deployments, scrollable' })
  for (const share of [0.5, 0.9, 0.2]) {
    await scroller.evaluate((element, part) => {
      element.scrollTop = element.scrollHeight * part
    }, share)
    const place = Math.round(size * share) + 3
    await expect(link(place)).toHaveText((await copyFrom(page, id, place)).deployments[0]!.name)
    await expect(row(place)).toBeInViewport()
    expect(await table.locator('tbody tr').count()).toBeLessThan(150)
  }
  await inspectScreen(slipway, 'deployments-cached-scrolled')

  // Opening one of them and coming back restores the list and the focus.
  const opened = Math.round(size * 0.2) + 3
  const top = await scroller.evaluate((element) => element.scrollTop)
  await link(opened).click()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(link(opened)).toBeFocused()
  await expect(row(opened)).toBeInViewport()
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(top)

  // From a link in a row, the keyboard reaches the first and the last row and never loses the focus.
  await link(Math.round(size * 0.2) + 3).focus()
  await page.keyboard.press('End')
  await expect(link(size - 1)).toBeFocused()
  await expect(link(size - 1)).toBeInViewport()
  await page.keyboard.press('ArrowUp')
  await expect(link(size - 2)).toBeFocused()
  await scroller.evaluate((element) => {
    element.scrollTop = 0
  })
  await expect(link(0)).toBeInViewport()
  await expect(link(size - 2)).toBeFocused()
  await page.keyboard.press('Home')
  await expect(link(0)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(link(1)).toBeFocused()
  await page.keyboard.press('PageDown')
  await expect(link(1)).not.toBeFocused()
  await expect(table.getByRole('link').and(page.locator(':focus'))).toBeInViewport()

  // Sorting scrolls the list back to its beginning.
  await scroller.evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2
  })
  await expect(row(size / 2 + 3)).toBeInViewport()
  await table.getByRole('button', { name: 'Name' }).click()
  await expect(link(0)).toHaveText((await copyFrom(page, id, 0, 'name')).deployments[0]!.name)
  await expect(link(0)).toBeInViewport()

  const wanted = (await copyFrom(page, id, 1500)).deployments[0]!
  await page.getByRole('textbox', { name: 'Search deployments' }).fill(wanted.id)
  await expect(table).toHaveAttribute('aria-rowcount', '2')
  await expect(link(0)).toHaveText(wanted.name)
})
