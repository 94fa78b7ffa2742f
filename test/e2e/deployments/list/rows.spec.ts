import type { ElectronApplication, Page } from '@playwright/test'
import { askDirectly, deploymentsTable, setPageSize, shownNames } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'

const rowOf = (page: Page, name: string) =>
  deploymentsTable(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
const checkbox = (page: Page, name: string) =>
  deploymentsTable(page).getByRole('checkbox', { name, exact: true })
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selection' })
const clipboard = (app: ElectronApplication) => app.evaluate(({ clipboard }) => clipboard.readText())

/** Clicks a row outside its link and buttons. */
const clickRow = (page: Page, name: string, options: Parameters<ReturnType<typeof rowOf>['click']>[0] = {}) =>
  rowOf(page, name).getByRole('cell').nth(1).click(options)

test('rows are selected with the mouse, across pages, copied, and have a menu', async ({ page, app }) => {
  await test.step('rows are selected with the mouse, across pages, and copied', async () => {
    await setPageSize(page, 10)
    const all = await askDirectly(page)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
    const names = await shownNames(page)
    await clickRow(page, names[1]!)
    await clickRow(page, names[3]!, { modifiers: ['Shift'] })
    await checkbox(page, names[2]!).uncheck()
    await expect(bar(page)).toContainText('2 selected')

    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByText('11–20')).toBeVisible()
    await checkbox(page, (await shownNames(page))[0]!).check()
    await expect(bar(page)).toContainText('3 selected')
    await expect(bar(page)).toContainText('2 not on this page')
    const expected = [1, 3, 10].map((index) => all[index]!)
    await bar(page).getByRole('button', { name: 'Copy IDs' }).click()
    await expect.poll(() => clipboard(app)).toBe(expected.map(({ id }) => id).join('\n'))
    await bar(page).getByRole('button', { name: 'Copy names' }).click()
    await expect.poll(() => clipboard(app)).toBe(expected.map(({ name }) => name).join('\n'))
    await expect(page.locator('[data-deed]')).toHaveText('Copied 3 names')

    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect(checkbox(page, names[3]!)).toBeChecked()
    await expect(checkbox(page, names[2]!)).not.toBeChecked()
    await bar(page).getByRole('button', { name: 'Clear' }).click()
    await expect(bar(page)).toHaveCount(0)
    await expect(checkbox(page, names[3]!)).not.toBeChecked()

    await rowOf(page, names[4]!).getByRole('cell').nth(1).dblclick()
    await expect(page.getByRole('heading', { name: names[4]!, level: 1 })).toBeFocused()

    await page.getByRole('button', { name: 'Next deployment' }).click()
    await expect(page.getByRole('heading', { name: names[5]!, level: 1 })).toBeFocused()
    for (const index of [4, 3, 2, 1, 0]) {
      await page.getByRole('button', { name: 'Previous deployment' }).click()
      await expect(page.getByRole('heading', { name: names[index]!, level: 1 })).toBeFocused()
    }
    await expect(page.getByRole('button', { name: 'Previous deployment' })).toBeDisabled()
  })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await setPageSize(page, 50)
  await test.step('the menu of a row opens, copies, clones and filters, by mouse and by keyboard', async () => {
    const all = await askDirectly(page)
    const deployment = all.slice(0, 50).find(({ image_uri, image_version }) => image_uri && image_version)!
    await clickRow(page, deployment.name, { button: 'right' })
    const menu = page.getByRole('menu', { name: 'Deployment' })
    await menu.getByRole('menuitem', { name: 'Copy image' }).click()
    await expect.poll(() => clipboard(app)).toBe(deployment.image_uri)
    await expect(menu).toHaveCount(0)
    const link = page.getByRole('link', { name: deployment.name, exact: true })
    await expect(link).toBeFocused()

    await page.keyboard.press('Shift+F10')
    await expect(menu.getByRole('menuitem', { name: 'Open' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(link).toBeFocused()
    await page.keyboard.press('ContextMenu')
    await menu
      .getByRole('menuitem', { name: `Filter by image version ${deployment.image_version}` })
      .press('Enter')
    await expect(page.getByRole('textbox', { name: 'Image version' })).toHaveValue(deployment.image_version!)
    const expected = all.filter(({ image_version }) => image_version === deployment.image_version)
    await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 50).map(({ name }) => name))

    await clickRow(page, deployment.name, { button: 'right' })
    await menu.getByRole('menuitem', { name: 'Clone', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeFocused()
    await expect(page.getByRole('textbox', { name: 'Image URI' })).toHaveValue(deployment.image_uri!)
  })
})

test('rows are selected and searched with the keyboard, live and in the long cached list', async ({
  page,
}) => {
  await test.step('rows are selected with the keyboard, live and in the long cached list', async () => {
    await setPageSize(page, 10)
    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
    await page.getByRole('radio', { name: 'Live' }).check()
    for (const isCached of [false, true]) {
      if (isCached) await page.getByRole('radio', { name: 'Cached' }).check()
      await expect.poll(async () => (await shownNames(page)).length).toBeGreaterThanOrEqual(10)
      const names = await shownNames(page)
      await page.getByRole('heading', { name: 'Deployments', level: 1 }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('Space')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowUp')
      await expect(bar(page)).toContainText('2 selected')
      for (const index of [0, 1, 2]) expect(await checkbox(page, names[index]!).isChecked()).toBe(index < 2)
      await expect(page.getByRole('link', { name: names[1]!, exact: true })).toBeFocused()
      await page.keyboard.press('Control+A')
      await expect(bar(page)).toContainText(/^(10|100|2\d\d) selected/)
      await page.keyboard.press('Escape')
      await expect(bar(page)).toHaveCount(0)
    }
  })
  await page.getByRole('radio', { name: 'Live' }).check()
  await test.step('the search leads into its results, and Escape clears it', async () => {
    await setPageSize(page, 10)
    const all = await askDirectly(page)
    const wanted = all[20]!.name
    const search = page.getByRole('textbox', { name: 'Search deployments' })
    const link = page.getByRole('link', { name: wanted, exact: true })
    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
    for (const data of ['Cached', 'Live']) {
      for (const key of ['ArrowDown', 'Enter']) {
        await page.getByRole('radio', { name: data }).check()
        await expect.poll(async () => (await shownNames(page)).length).toBeGreaterThanOrEqual(10)
        await page.getByRole('heading', { name: 'Deployments', level: 1 }).focus()
        await page.keyboard.press('/')
        await page.keyboard.type(wanted)
        // Sooner than the pause after which the list is searched.
        await page.keyboard.press(key)
        await expect(link).toBeFocused()

        await page.keyboard.press('/')
        await page.keyboard.press('Escape')
        await expect(search).toHaveValue('')
        await expect(search).toBeFocused()
        await page.keyboard.press('Escape')
        await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()
      }
    }
  })
})
