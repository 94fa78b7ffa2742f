import type { ElectronApplication, Page } from '@playwright/test'
import { askDirectly, deploymentsTable, setPageSize, shownNames } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'

const panel = (page: Page) => page.getByRole('complementary', { name: 'Deployment panel' })
const shown = (page: Page) => panel(page).getByRole('heading', { level: 2 })
const title = (page: Page) => page.getByRole('heading', { level: 1 })
const link = (page: Page, name: string) => deploymentsTable(page).getByRole('link', { name, exact: true })
const edge = (page: Page) => page.getByRole('separator', { name: 'Panel width' })
const clipboard = (app: ElectronApplication) => app.evaluate(({ clipboard }) => clipboard.readText())

test('Enter shows a row in the panel, which follows the keyboard, and Enter again opens its page', async ({
  page,
}) => {
  await setPageSize(page, 10)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  const names = await shownNames(page)
  await title(page).focus()
  await page.keyboard.press('j')
  await expect(link(page, names[0]!)).toBeFocused()
  await expect(panel(page)).toHaveCount(0)

  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[0]!)
  await expect(link(page, names[0]!)).toBeFocused()
  for (const key of ['j', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key)
  await expect(shown(page)).toHaveText(names[2]!)
  const current = deploymentsTable(page).locator('[aria-current="true"]')
  await expect(current).toHaveCount(1)
  await expect(current.getByRole('link')).toHaveText(names[2]!)

  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, names[2]!)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[2]!)
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(names[2]!)
  await expect(title(page)).toBeFocused()

  // Back in the list, the panel is unchanged. The name's link opens the page directly.
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(shown(page)).toHaveText(names[2]!)
  await link(page, names[5]!).click()
  await expect(title(page)).toHaveText(names[5]!)
})

test('the panel follows the table in the tab order, copies, steps through the list and clones', async ({
  page,
  app,
}) => {
  const all = await askDirectly(page)
  const index = all.slice(1, 48).findIndex(({ image_uri }) => image_uri) + 1
  const deployment = all[index]!
  await expect(link(page, deployment.name)).toBeVisible()
  await link(page, deployment.name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Show in panel' }).click()
  await expect(shown(page)).toHaveText(deployment.name)
  await expect(link(page, deployment.name)).toBeFocused()

  await panel(page).getByRole('button', { name: 'Copy ID', exact: true }).click()
  await expect.poll(() => clipboard(app)).toBe(deployment.id)
  await panel(page).getByRole('button', { name: 'Copy image URI' }).click()
  await expect.poll(() => clipboard(app)).toBe(deployment.image_uri)
  const favourite = panel(page).getByRole('button', { name: 'Favourite' })
  await favourite.click()
  await expect(favourite).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Clear' }).click()
  // From the last button of the list, Tab leads into the panel.
  await deploymentsTable(page).getByRole('row').last().getByRole('button').last().focus()
  await expect(shown(page)).toHaveText(all[49]!.name)
  await page.keyboard.press('Tab')
  await expect(edge(page)).toBeFocused()
  await page.keyboard.press('Tab')
  const previous = panel(page).getByRole('button', { name: 'Previous deployment' })
  await expect(previous).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(all[48]!.name)
  await expect(previous).toBeFocused()
  const next = panel(page).getByRole('button', { name: 'Next deployment' })
  await next.click()
  await expect(next).toBeDisabled()
  await expect(previous).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, all[49]!.name)).toBeFocused()

  await link(page, deployment.name).focus()
  await page.keyboard.press('Enter')
  await panel(page).getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(title(page)).toHaveText('New deployment')
  await expect(page.getByRole('textbox', { name: 'Image URI' })).toHaveValue(deployment.image_uri!)
})

test('F6 leads between the row and the panel, and the palette acts on its deployment', async ({
  page,
  app,
}) => {
  const all = await askDirectly(page)
  const deployment = all.slice(0, 50).find(({ image_uri }) => image_uri)!
  await link(page, deployment.name).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(deployment.name)
  const hasFocus = () => panel(page).evaluate((aside) => aside.contains(document.activeElement))
  await page.keyboard.press('F6')
  expect(await hasFocus()).toBe(true)
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
  expect(outline, 'the focus is seen').toBe('solid')
  await page.keyboard.press('Tab')
  expect(await hasFocus()).toBe(true)
  await page.keyboard.press('Shift+F6')
  await expect(link(page, deployment.name)).toBeFocused()

  const run = async (label: string): Promise<void> => {
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox', { name: 'Search commands and deployments' }).fill(label)
    await page.getByRole('option', { name: label, exact: true }).click()
  }
  for (const [label, text] of [
    ['Copy image', deployment.image_uri],
    ['Copy link', `slipway://Sandbox%20%28cloud%29/deployments/${deployment.id}`],
  ] as const) {
    await run(label)
    await expect.poll(() => clipboard(app), label).toBe(text)
  }
  await run('Favourite')
  await expect(panel(page).getByRole('button', { name: 'Favourite' })).toHaveAttribute('aria-pressed', 'true')
  await run('Edit note')
  await expect(panel(page).getByRole('textbox', { name: 'Note' })).toBeFocused()
  await page.keyboard.type('Ask Ann.')
  await page.keyboard.press('Escape')
  await expect(panel(page).getByRole('textbox', { name: 'Note' })).toHaveCount(0)
  await expect(panel(page)).toContainText('Ask Ann.')
  await run('Clone deployment')
  await expect(title(page)).toHaveText('New deployment')
  await expect(page.getByRole('textbox', { name: 'Image URI' })).toHaveValue(deployment.image_uri!)
})

test('its appearance, and a narrow window, which has no panel', async ({ slipway, page }) => {
  await expect.poll(() => shownNames(page)).toHaveLength(50)
  const names = await shownNames(page)
  await link(page, names[0]!).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[0]!)
  await panel(page).getByRole('button', { name: 'Copy ID' }).focus()

  await slipway.resize(900, 600)
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, names[0]!)).toBeFocused()
  await link(page, names[1]!).click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Clone', exact: true })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Show in panel' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(names[1]!)
  await page.keyboard.press('Alt+ArrowLeft')
  await slipway.resize(1280, 800)
  await expect(panel(page)).toBeVisible()
  await panel(page).getByRole('button', { name: 'Close panel' }).click()

  const all = await askDirectly(page)
  const rolling = all.slice(0, 50).find((one) => one.latest_revision_id !== one.active_revision_id)!
  await link(page, rolling.name).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(rolling.name)
  await expect(panel(page).getByText('Loading details…')).toHaveCount(0)
  await inspectScreen(slipway, 'deployments-panel')
})
