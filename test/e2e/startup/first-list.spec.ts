import type { Page } from '@playwright/test'
import { choose, deploymentsTable } from '../support/page/deployments'
import { alone as test, expect } from '../support/fixtures'

/** The fields around the list, and the list's extent. */
interface Drawn {
  /** The text of each field, and its position in the window. */
  fields: { text: string; box: string }[]
  /** How many of them accept input. */
  inputs: number
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
      const shown = input
        ? input.value || input.placeholder
        : field.querySelector('.plain-input')?.textContent
      return `${label}: ${shown ?? ''}`
    }
    const boxOf = (field: Element): string => {
      const { x, y, width, height } = field.getBoundingClientRect()
      return [x, y, width, height].map((pixels) => pixels.toFixed(1)).join(' ')
    }
    return {
      fields: fields.map((field) => ({ text: textOf(field), box: boxOf(field) })),
      inputs: fields.filter((field) => field.querySelector('input')).length,
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

test.beforeEach(async ({ page }) => {
  await page.addInitScript(noteFirstList)
  await choose(page, 'Status', 'Ready')
  await page.keyboard.press('Escape')
  await expect(deploymentsTable(page)).toHaveAttribute('aria-busy', 'false')
})

test('the first live list comes with the values of its filters, and nothing moves when their fields follow', async ({
  page,
}) => {
  const { first, last } = await reload(page)
  expect(first.fields).toEqual(last.fields)
  expect(first.fields.map(({ text }) => text)).toContain('Status: Ready')
  expect([first.inputs, last.inputs]).toEqual([0, last.fields.length])
  expect(first.rows).toBeLessThanOrEqual(last.rows)
  expect(first.length).toBe(last.length)
})

test('the first cached list draws the rows in view, then those around them', async ({ page }) => {
  await page.getByRole('radio', { name: 'Cached' }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect(page.getByRole('button', { name: /^Not ready \d/ })).toBeVisible()
  const { first, last } = await reload(page)
  expect(first.inputs).toBe(0)
  // The other rows are drawn when the page is idle.
  await expect
    .poll(async () => (await page.evaluate(() => window.readDrawn())).rows)
    .toBeGreaterThan(first.rows)
  expect(first.length).toBe(last.length)
})
