import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { pageOf } from '../../support/builders/answer-bodies'
import { synchroniseNever } from '../support/bridge'
import { choose, deploymentsTable, setPageSize, shownNames } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { expectAccessible } from '../support/page/accessibility'
import { anyDeployment, StubService, useEnvironment } from '../support/services/stub-service'

/** A service with a few deployments. Records the filters of each request for the list, and can withhold answers. */
async function serve() {
  const all = [4, 3, 2, 1].map(anyDeployment)
  const requested: string[] = []
  let held: Promise<void> = Promise.resolve()
  const stub = await StubService.start((query, response) => {
    const ids = query.get('deployment_ids')?.split(',')
    const name = query.get('name_contains')
    if (query.get('limit') === '50') requested.push(name ?? (ids ? 'by identifiers' : 'everything'))
    const found = all.filter(
      (one) => (ids ?? [one.id]).includes(one.id) && String(one.name).includes(name ?? ''),
    )
    response.setHeader('content-type', 'application/json')
    void held.then(() => response.end(JSON.stringify(pageOf(found, query))))
  })
  return {
    stub,
    requested,
    /** Withholds answers until the returned function is called. */
    hold: (): (() => void) => {
      let release = (): void => undefined
      held = new Promise((resolve) => (release = resolve))
      return release
    },
  }
}

const search = (page: Page) => page.getByRole('textbox', { name: 'Search deployments' })
/** The names in the list. */
const names = (page: Page) => deploymentsTable(page).getByRole('rowheader').getByRole('link')
const headers = (page: Page) => deploymentsTable(page).getByRole('columnheader')
const titles = async (page: Page): Promise<string[]> =>
  (await headers(page).allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '')
const status = (page: Page) => deploymentsTable(page).getByRole('columnheader', { name: 'Status' })
const widthOf = async (page: Page): Promise<number> => (await status(page).boundingBox())!.width
const rowHeight = async (page: Page): Promise<number> =>
  Math.round((await deploymentsTable(page).getByRole('row').nth(1).boundingBox())!.height)

const panel = (page: Page) => page.getByRole('complementary', { name: 'Deployment panel' })
const panelWidth = async (page: Page): Promise<number> => (await panel(page).boundingBox())!.width

test('columns, the panel, a preset and the rest of the list are as they were left after a restart', async ({
  slipway,
  start,
  userData,
}) => {
  const choices = () => readFile(join(userData, 'choices.json'), 'utf8')
  const { page } = slipway
  await setPageSize(page, 20)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(20)
  expect(await titles(page)).toEqual(['Name', 'Status', 'Source', 'Runs', 'Revision', 'Updated'])
  expect(await rowHeight(page)).toBe(28)

  const button = page.getByRole('button', { name: 'Columns' })
  await button.focus()
  await page.keyboard.press('Enter')
  const item = (name: string) => page.getByRole('menu', { name: 'Columns' }).getByText(name, { exact: true })
  await expect(page.getByRole('menuitemcheckbox', { name: 'Name' })).toHaveAttribute('aria-disabled', 'true')
  await item('Source').click()
  await page.getByRole('menuitemcheckbox', { name: 'Updated' }).press('Shift+ArrowUp')
  await expect.poll(() => titles(page)).toEqual(['Name', 'Status', 'Runs', 'Updated', 'Revision'])
  const width = await widthOf(page)
  await page.getByRole('menuitemcheckbox', { name: 'Status' }).press('Shift+ArrowRight')
  await expect.poll(() => widthOf(page)).toBe(width + 16)
  await page.getByRole('menuitemradio', { name: 'Comfortable rows' }).press('Enter')
  await expect.poll(() => rowHeight(page)).toBe(36)
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
  const { x, y, height } = (await status(page).boundingBox())!
  await page.mouse.move(x + width + 16 - 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width + 74, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => widthOf(page)).toBe(width + 76)

  // The panel, by keyboard and with the mouse.
  await deploymentsTable(page).getByRole('row').nth(3).getByRole('link').focus()
  await page.keyboard.press('Enter')
  const edge = page.getByRole('separator', { name: 'Panel width' })
  await edge.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => panelWidth(page)).toBe(360)
  const from = (await edge.boundingBox())!
  await page.mouse.move(from.x + 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x - 38, from.y + from.height / 2, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => panelWidth(page)).toBe(400)

  await page.getByRole('button', { name: /^Not ready/ }).click()
  await choose(page, 'Auto-refresh', 'Every 60 s')
  await page.getByRole('radio', { name: 'Cached' }).check()
  await expect.poll(choices).toMatch(/"refreshSeconds": 60[^]*"source": "cached"/)
  await slipway.close()

  const again = (await start()).page
  await expect(again.getByRole('radio', { name: 'Cached' })).toBeChecked()
  await expect(again.getByRole('button', { name: /^Not ready/ })).toHaveAttribute('aria-pressed', 'true')
  // Without a deployment, the panel takes no room from the list.
  await expect(panel(again)).toHaveCount(0)
  await expect.poll(() => titles(again)).toEqual(['Name', 'Status', 'Runs', 'Updated', 'Revision'])
  expect([await widthOf(again), await rowHeight(again)]).toEqual([width + 76, 36])
  await deploymentsTable(again).getByRole('row').nth(1).getByRole('cell').nth(1).click()
  await expect.poll(() => panelWidth(again)).toBe(400)
  await panel(again).getByRole('button', { name: 'Close panel' }).click()
  await again.getByRole('radio', { name: 'Live' }).check()
  await expect(again.getByRole('combobox', { name: 'Page size' })).toHaveValue('20')
  await expect(again.getByRole('combobox', { name: 'Auto-refresh' })).toHaveValue('Every 60 s')
  await again.getByRole('button', { name: 'Columns' }).click()
  await again.getByRole('menuitem', { name: 'Reset columns' }).click()
  await expect.poll(() => titles(again)).toEqual(['Name', 'Status', 'Source', 'Runs', 'Revision', 'Updated'])
})

test('a start restores the last search, and never shows the list without it, nor another service with it', async ({
  slipway,
  page,
  start,
  userData,
}) => {
  const { stub, requested, hold } = await serve()
  const other = await serve()
  try {
    const { id } = await useEnvironment(page, { name: 'Searched', baseUrl: stub.baseUrl })
    await synchroniseNever(page)
    await expect(names(page)).toHaveCount(4)
    await search(page).fill('stub-2')
    await expect(names(page)).toHaveCount(1)
    await slipway.close()
    expect(await readFile(join(userData, 'choices.json'), 'utf8')).toContain('"hasPrivateFilters": true')
    for (const file of ['choices.json', 'state.db'])
      expect(await readFile(join(userData, file), 'latin1')).not.toContain('stub-2')

    // The cache has all of them, and is asked first.
    requested.length = 0
    const release = hold()
    const again = await start()
    await expect(search(again.page)).toHaveValue('stub-2')
    await expect(names(again.page)).toHaveText(['stub-2'])
    release()
    await expect.poll(() => shownNames(again.page)).toEqual(['stub-2'])
    expect(new Set(requested)).toEqual(new Set(['stub-2']))

    // Another service behind the environment doesn't get it.
    await useEnvironment(again.page, { id, name: 'Searched', baseUrl: other.stub.baseUrl })
    await expect(names(again.page)).toHaveCount(4)
    await expect(search(again.page)).toHaveValue('')
  } finally {
    await stub.close()
    await other.stub.close()
  }
})

test('the head of the list leaves room for the rows, and a narrow table leaves out columns before it scrolls', async ({
  slipway,
  page,
  app,
}) => {
  const scroller = page.getByRole('group', { name: 'Deployments, scrollable' })
  const fits = () => scroller.evaluate((element) => element.scrollWidth <= element.clientWidth)
  // Such as a layout that changes what it is computed from.
  await page.evaluate(() => {
    const errors: string[] = []
    addEventListener('error', ({ message }) => errors.push(message))
    Object.assign(window, { errors })
  })
  await slipway.resize(900, 600)
  await expect.poll(() => titles(page)).toEqual(['Name', 'Status', 'Runs', 'Revision', 'Updated'])
  expect(await fits()).toBe(true)
  await page.getByRole('button', { name: 'Columns' }).click()
  const source = page.getByRole('menuitemcheckbox', { name: 'Source (no room)' })
  await expect(source).toHaveAttribute('aria-checked', 'true')
  await page.keyboard.press('Escape')

  await slipway.resize(1280, 800)
  await expect.poll(() => titles(page)).toEqual(['Name', 'Status', 'Source', 'Runs', 'Revision', 'Updated'])
  await deploymentsTable(page).getByRole('rowheader').first().getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Deployment panel' })).toBeVisible()
  await expect.poll(() => titles(page)).toEqual(['Name', 'Status', 'Updated'])
  expect(await fits()).toBe(true)

  await slipway.resize(1680, 900)
  await expect.poll(() => titles(page)).toEqual(['Name', 'Status', 'Source', 'Runs', 'Revision', 'Updated'])
  const runs = deploymentsTable(page).getByRole('columnheader', { name: 'Runs' })
  await expect.poll(async () => (await runs.boundingBox())!.width).toBeGreaterThanOrEqual(140)
  expect(await fits()).toBe(true)
  expect(await page.evaluate(() => (window as unknown as { errors: string[] }).errors)).toEqual([])

  const main = page.getByRole('main')
  await slipway.resize(1280, 900)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  const top = (await main.boundingBox())!.y
  expect((await deploymentsTable(page).boundingBox())!.y - top).toBeLessThanOrEqual(84)

  const zoom = (factor: number) =>
    app.evaluate(
      ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(wanted),
      factor,
    )
  for (const [width, factor] of [
    [900, 1],
    [640, 2],
  ] as const) {
    if (factor === 1) await slipway.resize(900, 600)
    else {
      await slipway.resize(1280, 900)
      await zoom(factor)
    }
    await page.waitForFunction((expected) => innerWidth === expected, width)
    // With large text, Export is among the other actions.
    const last = width < 900 ? 'More actions' : 'Export'
    for (const name of ['Refresh', 'Columns', last, 'Filters', 'New deployment', 'Next page']) {
      const button = main.getByRole('button', { name, exact: true })
      await button.scrollIntoViewIfNeeded()
      const box = (await button.boundingBox())!
      expect(box.x + box.width, `${name} at a width of ${width}`).toBeLessThanOrEqual(width)
      const isWhole = await button.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)
      expect(isWhole, `${name} at a width of ${width}`).toBe(true)
    }
    expect(await main.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  }
  await zoom(1)
  await slipway.resize(900, 600)
  await deploymentsTable(page).getByRole('checkbox').nth(1).check()
  await deploymentsTable(page).getByRole('checkbox').nth(3).check()
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByRole('menu', { name: 'Columns' })).toBeVisible()
  await expectAccessible(page, 'the menu of columns')
  await page.keyboard.press('Escape')
})
