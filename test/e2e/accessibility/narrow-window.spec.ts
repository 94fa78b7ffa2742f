import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { builtInEnvironments, sampleIntegrationId } from '@contract'
import { expectAccessible, screenNames } from '../support/page/accessibility'
import { goTo, press, switchTo } from '../support/page/creation'
import { deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'

const rail = (page: Page): Locator => page.getByRole('banner')
const link = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true })
const switcher = (page: Page): Locator => page.getByRole('button', { name: /^Environment: / })

const widthOf = (element: Locator): Promise<number> =>
  element.evaluate((one) => one.getBoundingClientRect().width)

/** The text of an element's tooltip, painted beside it. Null if something else is there. */
const tooltip = (element: Locator): Promise<string | null> =>
  element.evaluate((one) => {
    const { right, top, height } = one.getBoundingClientRect()
    const painted = document.elementFromPoint(right + 24, top + height / 2)
    return painted && one.contains(painted) ? painted.textContent : null
  })

/** The positions of everything in the rail and of the screen beside it. */
const places = (page: Page): Promise<string> =>
  rail(page).evaluate((header) =>
    [...header.querySelectorAll('a, button, svg'), ...document.querySelectorAll('main, main h1')]
      .map((one) => JSON.stringify(one.getBoundingClientRect()))
      .join('\n'),
  )

async function setZoom(app: ElectronApplication, page: Page, factor: number, width: number): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, zoom) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(zoom),
    factor,
  )
  await page.waitForFunction((expected) => Math.abs(innerWidth - expected) <= 1, width)
}

test('below a width of 1000 px the navigation has icons, whose names are tooltips on hover and focus', async ({
  slipway,
  page,
}) => {
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  await slipway.resize(1000, 600)
  expect(await widthOf(rail(page))).toBe(216)
  expect(await tooltip(link(page, 'Repositories'))).toBeNull()

  await slipway.resize(900, 600)
  expect(await widthOf(rail(page))).toBe(56)
  for (const screen of screenNames) await expect(link(page, screen)).toHaveCount(1)
  await expect(switcher(page)).toHaveAccessibleName(`Environment: ${builtInEnvironments.cloud.name}`)

  await page.mouse.move(600, 300)
  const before = await places(page)
  for (const screen of screenNames) {
    expect(await tooltip(link(page, screen)), `${screen}, before the mouse`).toBeNull()
    await link(page, screen).hover()
    await expect.poll(() => tooltip(link(page, screen)), screen).toBe(screen)
    expect(await places(page), `nothing moves with the mouse over ${screen}`).toBe(before)
  }
  await switcher(page).hover()
  await expect.poll(() => tooltip(switcher(page))).toBe(builtInEnvironments.cloud.name)
  // Escape hides the tooltip until another element gets the mouse or the focus.
  await page.keyboard.press('Escape')
  await expect.poll(() => tooltip(switcher(page))).toBeNull()
  await link(page, 'Board').hover()
  await expect.poll(() => tooltip(link(page, 'Board'))).toBe('Board')
  // So does a click, so that the mouse reaches what the tooltip covers.
  await link(page, 'Deployments').click()
  await expect.poll(() => tooltip(link(page, 'Deployments'))).toBeNull()
  await page.mouse.move(600, 300)

  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Tab')
  await expect(switcher(page)).toBeFocused()
  await expect.poll(() => tooltip(switcher(page))).toBe(builtInEnvironments.cloud.name)
  await page.keyboard.press('Tab')
  await expect(link(page, screenNames[0])).toBeFocused()
  await expect.poll(() => tooltip(link(page, screenNames[0]))).toBe(screenNames[0])
  expect(await tooltip(switcher(page))).toBeNull()
  await expectAccessible(page, 'the narrow navigation')
})

test('a narrow or enlarged window cuts nothing off, and keeps the rare actions in a menu', async ({
  slipway,
  app,
  page,
}) => {
  await slipway.resize(1280, 800)
  await setZoom(app, page, 2, 640)
  expect(await widthOf(rail(page))).toBe(56)
  await switchTo(page, builtInEnvironments['self-hosted'].name)
  await expect(switcher(page)).toBeFocused()
  await expect(page.getByRole('region', { name: 'Current environment' })).toContainText('Self-hosted')
  for (const screen of ['Activity', 'Deployments']) {
    await link(page, screen).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen)
  }
  // The head of the list wraps to two rows, and cuts nothing off.
  const head = await page.locator('main header').first().boundingBox()
  expect(head?.height).toBeLessThanOrEqual(76)
  for (const button of await page.locator('main header').first().getByRole('button').all()) {
    const box = await button.boundingBox()
    expect(box!.x + box!.width).toBeLessThanOrEqual(640)
  }
  await setZoom(app, page, 1, 1280)
  await switchTo(page, builtInEnvironments.cloud.name)
  await test.step('the head of the list has the rare actions in a menu', async () => {
    const head = page.locator('main header').first()
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    await slipway.resize(900, 600)
    await expect(head.getByRole('button')).toHaveCount(7)
    const more = page.getByRole('button', { name: 'More actions' })
    for (const [action, dialog] of [
      ['Manage views', 'Views'],
      ['Watch this list', 'Watch this list'],
    ] as const) {
      await more.press('ArrowDown')
      await page.getByRole('menuitem', { name: action }).press('Enter')
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(more).toBeFocused()
    }
  })

  await slipway.resize(1280, 800)
  await setZoom(app, page, 2, 640)
  const [position, next] = [page.getByText('1–10'), page.getByRole('button', { name: 'Next page' })]
  const middle = async (of: Locator): Promise<number> => {
    const { y, height } = (await of.boundingBox())!
    return y + height / 2
  }
  expect(Math.abs((await middle(position)) - (await middle(next)))).toBeLessThan(8)

  await setZoom(app, page, 1, 1280)
  await slipway.resize(900, 600)
  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await press(page, 'List repositories')
  const row = page.getByRole('row', { name: /claims-classifier/ })
  const url = row.getByRole('link', { name: /^https:\S+[/]claims-classifier$/ })
  const end = url.getByText(/-classifier$/)
  expect((await end.boundingBox())!.width).toBeGreaterThan(60)
  const { x, width } = (await url.boundingBox())!
  const { x: endX, width: endWidth } = (await end.boundingBox())!
  expect(endX + endWidth).toBeLessThanOrEqual(x + width + 1)
})

test('a list keeps room for its rows, and scrolls to them, in the smallest window at 200 %', async ({
  slipway,
}) => {
  const { app, page } = slipway
  await slipway.resize(900, 600)
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(2))
  await page.waitForFunction(() => innerWidth <= 451)
  for (const screen of ['Deployments', 'Environments']) {
    await page.getByRole('link', { name: screen }).click()
    const table = page.getByRole('table', { name: screen })
    await expect(table).toBeAttached()
    // Waits until the placeholder rows are gone.
    await expect(table).not.toHaveAttribute('aria-busy', 'true')
    const rows = table.locator('tbody tr')
    await expect(rows.first()).toBeAttached()
    // Away from the link, whose name is shown beside it.
    await page.mouse.move(300, 20)
    await rows.first().scrollIntoViewIfNeeded()
    const shown = await rows.first().evaluate((element) => {
      const { left, top, height } = element.getBoundingClientRect()
      return element.contains(document.elementFromPoint(left + 20, top + height / 2))
    })
    expect(shown, screen).toBe(true)
  }
})
