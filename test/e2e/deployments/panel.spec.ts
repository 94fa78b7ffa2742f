import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { expectAccessible } from '../support/page/accessibility'
import { askDirectly, choose, deploymentsTable, setPageSize, shownNames } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { showIn } from '../support/page/look'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

const panel = (page: Page) => page.getByRole('complementary', { name: 'Deployment panel' })
const shown = (page: Page) => panel(page).getByRole('heading', { level: 2 })
const title = (page: Page) => page.getByRole('heading', { level: 1 })
const link = (page: Page, name: string) => deploymentsTable(page).getByRole('link', { name, exact: true })
const edge = (page: Page) => page.getByRole('separator', { name: 'Panel width' })
const widthOf = async (page: Page): Promise<number> => (await panel(page).boundingBox())!.width
const clipboard = (app: ElectronApplication) => app.evaluate(({ clipboard }) => clipboard.readText())

/**
 * A service with a deployment for each number, whose answers a test changes. `reads` counts reads of one deployment.
 */
async function changingService(...numbers: number[]) {
  const state = { all: numbers.map(anyDeployment), status: 200, reads: 0 }
  const stub = await StubService.start((query, response, headers) => {
    const ids = query.get('deployment_ids')?.split(',')
    if (ids?.length === 1) state.reads += 1
    if (state.status !== 200) return json({ detail: 'Busy.' }, state.status)(query, response, headers)
    const found = ids ? state.all.filter(({ id }) => ids.includes(id as string)) : state.all
    const offset = Number(query.get('offset'))
    const resources = found.slice(offset, offset + Number(query.get('limit')))
    json({ resources, offset: offset + resources.length })(query, response, headers)
  })
  return { state, stub }
}

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
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
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
    ['Copy name', deployment.name],
    ['Copy ID', deployment.id],
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

test('its width and whether it is open are restored at the next start', async ({
  slipway,
  start,
  userData,
}) => {
  const { page } = slipway
  await expect.poll(() => shownNames(page)).toHaveLength(50)
  const names = await shownNames(page)
  await link(page, names[1]!).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[1]!)
  await expect.poll(() => widthOf(page)).toBe(480)

  await edge(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => widthOf(page)).toBe(496)
  await expect(edge(page)).toHaveAttribute('aria-valuenow', '496')
  await page.keyboard.press('Home')
  await expect.poll(() => widthOf(page)).toBe(360)
  // The list keeps its width.
  await page.keyboard.press('End')
  const list = page.getByRole('group', { name: 'Deployments, scrollable' })
  await expect.poll(async () => (await list.boundingBox())!.width).toBe(400)
  await edge(page).dblclick()
  await expect.poll(() => widthOf(page)).toBe(480)

  const { x, y, height } = (await edge(page).boundingBox())!
  await page.mouse.move(x + 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x - 38, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => widthOf(page)).toBe(520)
  await expect
    .poll(() => readFile(join(userData, 'choices.json'), 'utf8'))
    .toMatch(/"panel": \{\s*"isOpen": true,\s*"width": 520/)
  await slipway.close()

  const again = (await start()).page
  await expect.poll(() => shownNames(again)).toHaveLength(50)
  // Without a deployment, it takes no room from the list.
  await expect(panel(again)).toHaveCount(0)
  await deploymentsTable(again).getByRole('row').nth(3).getByRole('cell').nth(1).click()
  await expect(shown(again)).toHaveText(names[2]!)
  expect(await widthOf(again)).toBe(520)
  await panel(again).getByRole('button', { name: 'Close panel' }).click()
  await expect(panel(again)).toHaveCount(0)
  await expect(link(again, names[2]!)).toBeFocused()
})

test('it follows a rollout to its end and the re-reads of the list, and asks a busy service at most three times', async ({
  page,
}) => {
  const { state, stub } = await changingService(3, 2, 1)
  const change = (name: string, more: object): void => {
    state.all = state.all.map((one) => (one.name === name ? { ...one, ...more } : one))
  }
  try {
    change('stub-3', { status: 'AWAITING_DATABASE', latest_revision_id: 'r2', active_revision_id: 'r1' })
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await choose(page, 'Auto-refresh', 'Off')
    await link(page, 'stub-3').focus()
    await page.keyboard.press('Enter')
    await expect(panel(page)).toContainText('Awaiting database')
    await expect(panel(page)).toContainText('rolling out')
    change('stub-3', { status: 'READY', active_revision_id: 'r2' })
    await expect(panel(page)).toContainText('Ready', { timeout: 20_000 })
    await expect(panel(page)).toContainText('Same as latest')
    // The list shows the same status, although it isn't refreshed automatically.
    const row = deploymentsTable(page).getByRole('row').filter({ hasText: 'stub-3' })
    await expect(row).toContainText('Ready')

    await choose(page, 'Auto-refresh', 'Every 5 s')
    await link(page, 'stub-3').focus()
    change('stub-3', { status: 'UNUSED' })
    await expect(panel(page)).toContainText('Unused', { timeout: 20_000 })
    await choose(page, 'Auto-refresh', 'Off')

    state.status = 503
    state.reads = 0
    await link(page, 'stub-2').focus()
    await expect(shown(page)).toHaveText('stub-2')
    await expect(panel(page)).toContainText("Can't read the details", { timeout: 20_000 })
    expect(state.reads).toBeLessThanOrEqual(3)
    await expect(page.getByRole('alert')).toHaveCount(0)
    state.status = 200
    await panel(page).getByRole('button', { name: 'Retry' }).click()
    await expect(panel(page)).not.toContainText("Can't read the details")
  } finally {
    await stub.close()
  }
})

test('it shows cached deployments with their age, and clones nothing in a read-only environment', async ({
  page,
}) => {
  const { stub } = await changingService(2, 1)
  try {
    await useEnvironment(page, { name: 'Read-only', baseUrl: stub.baseUrl, readOnly: true })
    await link(page, 'stub-2').focus()
    await page.keyboard.press('Enter')
    await expect(panel(page).getByRole('link', { name: 'https://git.example.com/team/app' })).toBeVisible()
    await expect(panel(page).getByText(/^As of /)).toBeVisible()
    await expect(panel(page).getByRole('button', { name: 'Clone', exact: true })).toHaveCount(0)
  } finally {
    await stub.close()
  }
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('main')).toContainText("Read-only can't be reached")
  await link(page, 'stub-1').focus()
  await expect(shown(page)).toHaveText('stub-1')
  await expect(panel(page)).toContainText(/From the cache, as of .* \(.*\): the service can't be reached/)
})

test('its appearance, and a narrow window, which has no panel', async ({ slipway, page }) => {
  await test.step('a narrow window has no panel, and Enter opens the page there', async () => {
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
  })
  await panel(page).getByRole('button', { name: 'Close panel' }).click()
  await test.step('the appearance of the panel', async () => {
    const all = await askDirectly(page)
    const rolling = all.slice(0, 50).find((one) => one.latest_revision_id !== one.active_revision_id)!
    await link(page, rolling.name).focus()
    await page.keyboard.press('Enter')
    await expect(shown(page)).toHaveText(rolling.name)
    await expect(panel(page).getByText('Loading details…')).toHaveCount(0)
    // Where the table has room for revisions beside the panel.
    await slipway.resize(1680, 900)
    await showIn(page, { forcedColors: 'active' })
    for (const where of [panel(page), deploymentsTable(page)]) {
      await expect(where.getByText('rolling out').first()).toHaveCSS('border-top-style', 'solid')
    }
    await showIn(page, { forcedColors: 'none' })
    await slipway.resize(1280, 800)
    await inspectScreen(slipway, 'deployments-panel')
    await edge(page).focus()
    await page.keyboard.press('Home')
    await slipway.resize(1100, 700)
    await expectAccessible(page, 'the narrowest panel')
  })
})
