import type { Locator, Page } from '@playwright/test'
import { builtInEnvironments } from '@contract'
import { deploymentsTable, shownNames } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'

// Nothing here clicks: the main tasks are possible with the keyboard alone.

/** Presses Tab until the element has the focus, and expects that the focus is visible. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible()
  for (let press = 0; press < 150; press += 1) {
    await page.keyboard.press(key)
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`Tab does not lead to ${String(target)}.`)
}

/** Whether the focused element, or the field around it, has an outline or a ring. */
const focusIsVisible = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const focused = document.activeElement
    if (!focused) return false
    const marks = [focused, ...focused.querySelectorAll('*'), focused.closest('.n-input')].filter(
      (element): element is Element => element !== null,
    )
    return marks.some(
      (element) =>
        ['', '::before', '::after'].some((part) => {
          const style = getComputedStyle(element, part || undefined)
          return (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none'
        }) || element.querySelector('.n-input__state-border') !== null,
    )
  })

const link = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

test('shows where the focus is, skips to the content, switches environments and goes to every screen', async ({
  page,
}) => {
  await test.step('shows where the focus is, on every control of the first screen', async () => {
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    const seen = new Set<string>()
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(() => {
        const focused = document.activeElement
        const label = focused instanceof HTMLInputElement ? focused.labels?.[0]?.textContent : null
        return focused?.getAttribute('aria-label') ?? label ?? focused?.textContent?.trim() ?? ''
      })
      seen.add(name)
      expect(await focusIsVisible(page), `the focus on "${name}"`).toBe(true)
    }
    for (const name of [
      'Skip to content',
      'Deployments',
      'Refresh',
      'Search deployments',
      'Deployment IDs',
    ]) {
      expect(seen).toContain(name)
    }
  })
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await test.step('skips to the content', async () => {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()
  })
  await test.step('switches environments', async () => {
    const { 'self-hosted': selfHosted } = builtInEnvironments
    await tabTo(page, page.getByRole('button', { name: /^Environment: / }))
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeFocused()
    await expect(page.getByRole('region', { name: 'Current environment' })).toContainText('Self-hosted')
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  })
  await test.step('goes to every screen', async () => {
    for (const name of ['Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']) {
      await tabTo(page, link(page, name), name === 'Repositories' ? 'Tab' : 'Shift+Tab')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()
    }
  })
})

test('pages to the end without losing the focus, finds a deployment, opens it and goes back', async ({
  page,
  app,
}) => {
  await test.step('pages to the end and back without losing the focus', async () => {
    const size = page.getByRole('combobox', { name: 'Page size' })
    const next = page.getByRole('button', { name: 'Next page' })
    const previous = page.getByRole('button', { name: 'Previous page' })
    await tabTo(page, size, 'Shift+Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('90')
    await page.keyboard.press('Enter')
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(90)
    await tabTo(page, next)
    await page.keyboard.press('Enter')
    await expect(page.getByText('91–180')).toBeVisible()
    await expect(next).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText('181–250')).toBeVisible()
    await expect(previous).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText('91–180')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByText('1–90', { exact: true })).toBeVisible()
    await expect(next).toBeFocused()
  })
  await test.step('finds a deployment, opens it, copies its identifier and goes back', async () => {
    await tabTo(page, page.getByRole('textbox', { name: 'Search deployments' }))
    await page.keyboard.type('agent')
    await expect.poll(async () => (await shownNames(page)).every((name) => name.includes('agent'))).toBe(true)

    await tabTo(page, page.getByRole('combobox', { name: 'Status', exact: true }))
    await page.keyboard.press('r')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Ready')
    await expect
      .poll(() => deploymentsTable(page).getByRole('cell', { name: 'Unused', exact: true }).count())
      .toBe(0)
    const name = (await shownNames(page))[0]!
    await tabTo(page, page.getByRole('link', { name, exact: true }))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('complementary', { name: 'Deployment panel' })).toContainText(name)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()

    await tabTo(page, page.getByRole('button', { name: 'Copy ID', exact: true }))
    await page.keyboard.press('Enter')
    await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toMatch(/^[0-9a-f-]{36}$/)
    await tabTo(page, page.getByRole('tab', { name: 'Overview' }))
    await page.keyboard.press('End')
    await expect(page.getByRole('tab', { name: 'JSON' })).toBeFocused()
    await tabTo(page, page.getByRole('region', { name: 'Deployment as JSON' }))
    await page.keyboard.press('PageDown')

    await tabTo(page, page.getByRole('button', { name: 'Back to the list' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name, exact: true })).toBeFocused()
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Ready')

    await page.keyboard.press('F6')
    await tabTo(page, page.getByRole('button', { name: 'Compare', exact: true }))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('link', { name, exact: true })).toBeFocused()
  })
})
