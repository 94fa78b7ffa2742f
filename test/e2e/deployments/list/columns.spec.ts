import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { deploymentsTable, setPageSize } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { expectAccessible } from '../../support/page/accessibility'
import { inspectScreen } from '../../support/page/screens'

const headers = (page: Page) => deploymentsTable(page).getByRole('columnheader')
const titles = async (page: Page): Promise<string[]> =>
  (await headers(page).allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '')
const status = (page: Page) => deploymentsTable(page).getByRole('columnheader', { name: 'Status' })
const widthOf = async (page: Page): Promise<number> => (await status(page).boundingBox())!.width
const rowHeight = async (page: Page): Promise<number> =>
  Math.round((await deploymentsTable(page).getByRole('row').nth(2).boundingBox())!.height)

test('columns are hidden, moved and widened, and stay that way after a restart', async ({
  slipway,
  start,
  userData,
}) => {
  const { page } = slipway
  await setPageSize(page, 10)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
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
  await expect
    .poll(() => readFile(join(userData, 'choices.json'), 'utf8'))
    .toMatch(new RegExp(`"width": ${Math.round(width + 76)}`))
  await slipway.close()

  const again = (await start()).page
  await expect(deploymentsTable(again).getByRole('rowheader')).toHaveCount(10)
  await expect.poll(() => titles(again)).toEqual(['Name', 'Status', 'Runs', 'Updated', 'Revision'])
  expect([await widthOf(again), await rowHeight(again)]).toEqual([width + 76, 36])
  await again.getByRole('button', { name: 'Columns' }).click()
  await again.getByRole('menuitem', { name: 'Reset columns' }).click()
  await expect.poll(() => titles(again)).toEqual(['Name', 'Status', 'Source', 'Runs', 'Revision', 'Updated'])
  expect(await widthOf(again)).toBe(width)
})

test('the head of the list leaves room for the rows, and a narrow table leaves out columns before it scrolls', async ({
  slipway,
  page,
  app,
}) => {
  await test.step('a narrow table leaves out columns before it scrolls sideways, and says which', async () => {
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
  })
  await test.step('the head of the list leaves room for the rows, and no part of it is cut off', async () => {
    const main = page.getByRole('main')
    await slipway.resize(1280, 900)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
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
    await inspectScreen(slipway, 'deployments-selected')
  })
})
