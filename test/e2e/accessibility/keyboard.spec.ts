import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { builtInEnvironments } from '@contract'
import { askDirectly, deploymentsTable, shownNames } from '../support/page/deployments'
import { alone, expect, test } from '../support/fixtures'

// Nothing here clicks: the main tasks are possible with the keyboard alone. Typed text doesn't count as keys.

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
  for (const name of ['Skip to content', 'Deployments', 'Refresh', 'Search deployments', 'Deployment IDs']) {
    expect(seen).toContain(name)
  }
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()

  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()

  const { 'self-hosted': selfHosted } = builtInEnvironments
  await tabTo(page, page.getByRole('button', { name: /^Environment: / }))
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeFocused()
  await expect(page.getByRole('region', { name: 'Current environment' })).toContainText('Self-hosted')
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()

  for (const name of ['Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']) {
    await tabTo(page, link(page, name), name === 'Repositories' ? 'Tab' : 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()
  }
})

test('pages to the end without losing the focus, finds a deployment, opens it and goes back', async ({
  page,
  app,
}) => {
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
})

/** The most keys that a task may take. */
const max = 8

/** Counts the keys of a task, and expects no more than the maximum. */
async function task(
  page: Page,
  name: string,
  steps: (press: (...keys: string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  let count = 0
  await test.step(name, async () => {
    await steps(async (...keys) => {
      for (const key of keys) {
        count += 1
        await page.keyboard.press(key)
      }
    })
    expect(count, `the keys of "${name}"`).toBeLessThanOrEqual(max)
  })
}

const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })
const selected = (page: Page): Locator =>
  page.getByRole('dialog', { name: 'Command palette' }).getByRole('option', { selected: true })

alone('the most common tasks take few keys each', async ({ page, app, userData }) => {
  const statuses = deploymentsTable(page).locator('tbody tr')
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  const { cloud, 'self-hosted': selfHosted } = builtInEnvironments

  await task(page, 'switch', async (press) => {
    await press('Control+E', '2')
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()
  })
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  const { name } = (await askDirectly(page))[0]!

  /** Runs a command, or opens a result, with the palette: two keys. */
  const choose = async (press: (...keys: string[]) => Promise<void>, text: string, found: string) => {
    await press('Control+K')
    await page.keyboard.type(text)
    await expect(selected(page)).toContainText(found)
    await press('Enter')
  }

  await task(page, 'find by name and open', async (press) => {
    await choose(press, name, name)
    await expect(heading(page)).toHaveText(name)
  })
  await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()

  await task(page, 'clone to another environment', async (press) => {
    await expect(page.getByRole('button', { name: 'Clone', exact: true })).toBeEnabled()
    await choose(press, 'clone to', 'Clone to another environment…')
    const menu = page.getByRole('menu', { name: 'Clone to' })
    await expect(menu.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.type(cloud.name)
    await expect(menu.getByRole('menuitem', { name: cloud.name })).toBeFocused()
    await press('Enter')
    await expect(page.getByRole('button', { name: `Environment: ${cloud.name}` })).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Image URI' })).not.toHaveValue('')
  })

  const repositories = page.getByRole('table', { name: 'Repositories' })
  await task(page, 'create from a repository', async (press) => {
    await press('Control+2')
    await expect(heading(page)).toHaveText('Repositories')
    // The only integration is listed automatically.
    await expect(repositories.getByRole('rowheader').first()).toBeVisible()
    const repository = (await repositories.getByRole('rowheader').first().textContent())!
    await press('/')
    await expect(page.getByRole('textbox', { name: 'Search repositories' })).toBeFocused()
    await page.keyboard.type(repository)
    await expect(repositories.getByRole('rowheader')).toHaveCount(1)
    await press('Enter')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.type('by-keyboard')
    await press('Enter')
    await expect(page.getByRole('textbox', { name: 'Config path' })).toBeFocused()
    await page.keyboard.type('agents.json')
    await press('Enter')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Back to the form' })).toBeFocused()
    await press('Tab', 'Enter')
    await expect(heading(page)).toHaveText('by-keyboard')
  })

  await page.keyboard.press('Control+1')
  await expect(heading(page)).toHaveText('Deployments')
  await expect(statuses.first()).toBeVisible()
  for (const [command, preset] of [
    ['show not ready', 'Not ready'],
    ['show rolling out', 'Rolling out'],
  ] as const) {
    await task(page, preset, async (press) => {
      await choose(press, command, `Show ${preset.toLowerCase()}`)
      await expect(page.getByRole('button', { name: new RegExp(`^${preset}`), pressed: true })).toBeVisible()
    })
  }

  await task(page, 'export', async (press) => {
    const path = join(userData, 'list.csv')
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    }, path)
    await choose(press, 'export dep', 'Export deployments')
    const dialog = page.getByRole('dialog', { name: 'Export deployments' })
    await expect(dialog.getByRole('button', { name: 'Export…' })).toBeFocused()
    await press('Enter')
    await expect(dialog).toContainText('Saved')
    expect(await readFile(path, 'utf8')).toContain('\r\n')
    await press('Escape')
  })

  const panel = page.getByRole('complementary', { name: 'Deployment panel' })
  const names = deploymentsTable(page).getByRole('rowheader').getByRole('link')
  // The rollout of what was just created may be over by now.
  const rollingOut = (await names.allTextContents()).find((one) => one !== 'by-keyboard')!
  await task(page, 'follow a rollout', async (press) => {
    await press('/')
    await page.keyboard.type(rollingOut)
    // Without waiting for the result.
    await press('ArrowDown', 'Enter')
    await expect(panel).toContainText(rollingOut)
    await expect(panel).toContainText('rolling out')
  })

  await task(page, 'watch one', async (press) => {
    await press('Control+K')
    await page.keyboard.type('watch')
    await expect(selected(page)).toHaveText('Watch')
    await press('Enter')
    await expect(panel.getByRole('button', { name: 'Watch', pressed: true })).toBeVisible()
  })

  await task(page, 'favourite one', async (press) => {
    await choose(press, 'favourite', 'Favourite')
    await expect(panel.getByRole('button', { name: 'Favourite', pressed: true })).toBeVisible()
  })

  await task(page, 'compare two', async (press) => {
    await press('/', 'Escape')
    await expect(names.nth(1)).toBeVisible()
    await press('ArrowDown', 'Space', 'j', 'Space', 'Control+D')
    await expect(heading(page)).toHaveText('Compare')
    await expect(page.getByRole('table', { name: 'Differences' })).toBeVisible()
  })
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(heading(page)).toHaveText('Deployments')

  await task(page, 'share a view', async (press) => {
    const path = join(userData, 'views.json')
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    }, path)
    await choose(press, 'save view', 'Save view…')
    await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toBeFocused()
    await page.keyboard.type('My rollouts')
    await press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await choose(press, 'manage views', 'Manage views…')
    const share = page
      .getByRole('dialog', { name: 'Views' })
      .getByRole('button', { name: 'Share My rollouts' })
    await expect(share).toBeVisible()
    await press('Tab', 'Tab', 'Enter')
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('My rollouts')
  })
})
