import { builtInEnvironments } from '@contract'
import type { Page } from '@playwright/test'
import { choose, deploymentsTable } from '../support/page/deployments'
import { alone as test, expect } from '../support/fixtures'

/** The fields around the list, and the list's extent. */
interface Drawn {
  /** The text of each field, and its position in the window. */
  fields: { text: string; box: string }[]
  rows: number
  /** The scroll height of the list, in pixels. */
  length: number
}

declare global {
  interface Window {
    /** What is drawn now. */
    readDrawn: () => Drawn
    /** What was drawn with the first row. */
    drawnFirst?: Drawn
  }
}

/** Runs in the page. */
function noteFirstList(): void {
  window.readDrawn = () => {
    const fields = [
      ...document.querySelectorAll('#deployment-filters .field, [aria-label="Data shown"] .field'),
    ]
    const textOf = (field: Element): string => {
      const label = field.querySelector('label')?.textContent ?? ''
      const input = field.querySelector('input')
      return `${label}: ${input?.value || input?.placeholder || ''}`
    }
    const boxOf = (field: Element): string => {
      const { x, y, width, height } = field.getBoundingClientRect()
      return [x, y, width, height].map((pixels) => pixels.toFixed(1)).join(' ')
    }
    return {
      fields: fields.map((field) => ({ text: textOf(field), box: boxOf(field) })),
      rows: document.querySelectorAll('tbody tr').length,
      length: document.querySelector('.table-scroll')?.scrollHeight ?? 0,
    }
  }
  const observer = new MutationObserver(() => {
    if (!document.querySelector('tbody th a')) return
    observer.disconnect()
    requestAnimationFrame(() => {
      window.drawnFirst = window.readDrawn()
    })
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** Reloads the page. Returns what it drew with the first row, and once its fields accept input. */
async function reload(page: Page): Promise<{ first: Drawn; last: Drawn }> {
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Ready')
  await expect(deploymentsTable(page)).toHaveAttribute('aria-busy', 'false')
  const [first, last] = await page.evaluate(() => [window.drawnFirst, window.readDrawn()] as const)
  if (!first) throw new Error('no row was drawn')
  return { first, last }
}

test('a newcomer finds two sandboxes with deployments, synced, and an empty journal', async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible()
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await expect(
    page.getByRole('button', { name: `Environment: ${builtInEnvironments.cloud.name}` }),
  ).toBeVisible()
  const bar = page.getByRole('region', { name: 'Current environment' })
  await expect(bar).toContainText(builtInEnvironments.cloud.name)
  await expect(bar).toContainText('Cloud')
  await expect(bar).toContainText('Built-in')
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Online')
  await expect(page.getByRole('contentinfo')).toContainText('50 deployments shown')
  await expect(page).toHaveTitle(/^Deployments · Sandbox \(cloud\)/)

  const { cloud, 'self-hosted': selfHosted } = builtInEnvironments
  const stripe = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--environment-mark'))
  const first = deploymentsTable(page).getByRole('rowheader').first().getByRole('link')
  const cloudName = (await first.textContent()) ?? ''
  const cloudStripe = await stripe()

  await page.getByRole('button', { name: `Environment: ${cloud.name}` }).click()
  await page
    .getByRole('menuitem', { name: selfHosted.name })
    .or(page.getByRole('menuitemradio', { name: selfHosted.name }))
    .click()
  await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Current environment' })).toContainText('Self-hosted')
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await expect(deploymentsTable(page).getByRole('cell', { name: 'External image' })).toHaveCount(50)
  await expect(deploymentsTable(page).getByRole('link', { name: cloudName, exact: true })).toHaveCount(0)
  expect(await stripe()).not.toBe(cloudStripe)

  const navigation = page.getByRole('navigation', { name: 'Main' })
  for (const name of ['Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']) {
    await navigation.getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()
    await expect(navigation.getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
    await expect(page).toHaveTitle(new RegExp(`^${name} · `))
  }
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('radio', { name: 'Creations' }).check()
  await expect(page.getByText('The journal has no creations')).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Board' }).click()
  const columns = page.getByRole('grid', { name: 'Board' }).getByRole('columnheader')
  await expect(columns).toHaveText(['Agent', /Sandbox.*Synced/s, /Sandbox.*Synced/s])
  await expect(page).toHaveTitle(/All environments/)
})

test('the first list comes with the values of its filters, and nothing moves afterwards', async ({
  page,
}) => {
  await page.addInitScript(noteFirstList)
  await choose(page, 'Status', 'Ready')
  await page.keyboard.press('Escape')
  await expect(deploymentsTable(page)).toHaveAttribute('aria-busy', 'false')
  const { first: drawn, last } = await reload(page)
  expect(drawn.fields).toEqual(last.fields)
  expect(drawn.fields.map(({ text }) => text)).toContain('Status: Ready')
  expect(drawn.rows).toBeLessThanOrEqual(last.rows)
  expect(drawn.length).toBe(last.length)
})
