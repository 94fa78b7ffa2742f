import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { alone as test, expect } from '../e2e/support/fixtures'
import { expectAccessible, forcedLooks, screenNames, showIn } from '../e2e/support/page/accessibility'
import { goTo } from '../e2e/support/page/creation'
import { deploymentsTable } from '../e2e/support/page/deployments'

/** Emulates a contrast theme: white on black, or black on white. */
const force = (page: Page, colorScheme: 'dark' | 'light'): Promise<void> =>
  showIn(page, { colorScheme, forcedColors: 'active' })

/**
 * The share of an element's pixels that are painted: those that differ from its corner, which round shapes leave empty.
 */
async function painted(app: ElectronApplication, shape: Locator): Promise<number> {
  const png = await shape.screenshot()
  return await app.evaluate(({ nativeImage }, base64) => {
    const bitmap = nativeImage.createFromBuffer(Buffer.from(base64, 'base64')).toBitmap()
    let count = 0
    for (let at = 0; at < bitmap.length; at += 4)
      if (bitmap.readUInt32LE(at) !== bitmap.readUInt32LE(0)) count += 1
    return count / (bitmap.length / 4)
  }, png.toString('base64'))
}

/** The elements among the next Tab stops on which no outline shows the focus. */
async function unseenFocus(page: Page, stops: number): Promise<string[]> {
  const unseen: string[] = []
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const outlined = (): number =>
        [...document.querySelectorAll('*')].filter((element) => {
          const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
          const isPainted = outlineColor !== getComputedStyle(document.body).backgroundColor
          return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && isPainted
        }).length
      const element = document.activeElement
      if (!(element instanceof HTMLElement) || element === document.body) return null
      const focused = outlined()
      // The next Tab continues from here.
      element.blur()
      return focused > outlined() ? null : element.outerHTML.slice(0, 160)
    })
    if (name !== null) unseen.push(name)
  }
  return unseen
}

test.beforeEach(async ({ page }) => {
  await expect(deploymentsTable(page).getByRole('rowheader')).not.toHaveCount(0)
})

for (const colorScheme of ['dark', 'light'] as const) {
  test(`the current screen and the focus are visible on each screen in forced colours, ${colorScheme}`, async ({
    page,
    app,
  }) => {
    await force(page, colorScheme)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    for (const screen of screenNames) {
      await goTo(page, screen)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen)
      await page.mouse.move(0, 0)
      await expectAccessible(page, screen, forcedLooks)
      await force(page, colorScheme)

      const current = navigation.getByRole('link', { name: screen })
      const mark = await current.evaluate((link) => {
        const { borderLeftWidth, borderLeftColor } = getComputedStyle(link)
        return {
          width: borderLeftWidth,
          stands: borderLeftColor !== getComputedStyle(document.body).backgroundColor,
        }
      })
      expect(mark, screen).toEqual({ width: '4px', stands: true })
      expect(
        await difference(
          app,
          await page.screenshot({ clip: { x: 400, y: 0, width: 20, height: 4 } }),
          await page.screenshot({ clip: { x: 400, y: 300, width: 20, height: 4 } }),
        ),
        'the stripe is unlike what is below',
      ).toBeGreaterThan(40)

      expect(await unseenFocus(page, 20), screen).toEqual([])
    }
  })

  test(`statuses, selection and choices are visible in forced colours, ${colorScheme}`, async ({
    page,
    app,
  }) => {
    await force(page, colorScheme)
    const table = deploymentsTable(page)

    const full = await painted(app, table.locator('.dot.is-full').first())
    expect(full, 'a full status is a disc').toBeGreaterThan(0.6)
    for (const shape of ['is-half', 'is-ring']) {
      const dot = table.locator(`.dot.${shape}`).first()
      if ((await dot.count()) === 0) continue
      const share = await painted(app, dot)
      expect(share, shape).toBeGreaterThan(0.2)
      expect(share, shape).toBeLessThan(full - 0.05)
    }

    const row = table.getByRole('row').nth(2)
    const box = (await row.boundingBox())!
    // Excludes the row's checkbox, which shows the selection as well.
    const clip = { x: box.x + 300, y: box.y, width: 200, height: box.height }
    await page.mouse.move(0, 0)
    const plain = await page.screenshot({ clip })
    await row.getByRole('checkbox').check()
    await page.mouse.move(0, 0)
    expect(await difference(app, plain, await page.screenshot({ clip })), 'a selected row').toBeGreaterThan(
      300,
    )
    await row.getByRole('checkbox').uncheck()

    const pill = page.getByRole('button', { name: /^Not ready/ })
    const before = await pill.evaluate((button) => getComputedStyle(button).backgroundColor)
    await pill.click()
    await expect(pill).toHaveAttribute('aria-pressed', 'true')
    await page.mouse.move(0, 0)
    expect(await pill.evaluate((button) => getComputedStyle(button).backgroundColor)).not.toBe(before)
    const [chosen, other] = ['Live', 'Cached'].map((name) =>
      page.locator('.radio', { has: page.getByRole('radio', { name, exact: true }) }),
    ) as [Locator, Locator]
    const background = (radio: Locator) => radio.evaluate((one) => getComputedStyle(one).backgroundColor)
    expect(await background(chosen)).not.toBe(await background(other))
    await pill.click()

    await page.keyboard.press('Control+K')
    const option = page
      .getByRole('dialog', { name: 'Command palette' })
      .getByRole('option', { selected: true })
    await expect(option).toHaveCSS('outline-style', 'solid')
    await page.keyboard.press('Escape')

    await goTo(page, 'Environments')
    await page.getByRole('button', { name: 'Add environment' }).first().click()
    const dialog = page.getByRole('dialog')
    const protectedSwitch = dialog.getByRole('switch').first()
    const off = await protectedSwitch.screenshot()
    await protectedSwitch.click()
    await page.mouse.move(0, 0)
    expect(await difference(app, off, await protectedSwitch.screenshot()), 'a switch').toBeGreaterThan(100)
    await page.keyboard.press('Escape')
  })
}

test('a row that is selected, has changed or is shown in the panel has a mark of its own', async ({
  page,
  app,
}) => {
  const row = deploymentsTable(page).getByRole('row').nth(3)
  const { x, y, height } = (await row.boundingBox())!
  const clip = { x, y, width: 300, height }
  const combinations = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
    selected: (bits & 1) > 0,
    changed: (bits & 2) > 0,
    shown: (bits & 4) > 0,
  }))
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const forcedColors of ['none', 'active'] as const) {
      await showIn(page, { colorScheme, forcedColors })
      const pictures: Buffer[] = []
      for (const marks of combinations) {
        // Hides the checkbox, which shows a selected row as well, while the picture is taken.
        await row.evaluate((tr, { selected, changed, shown }) => {
          tr.classList.toggle('is-selected', selected)
          tr.classList.toggle('is-marked', changed)
          if (shown) tr.setAttribute('aria-current', 'true')
          else tr.removeAttribute('aria-current')
        }, marks)
        pictures.push(await page.screenshot({ clip }))
      }
      for (const [index, one] of pictures.entries()) {
        for (const [other, second] of pictures.entries()) {
          if (other <= index) continue
          const what = JSON.stringify([colorScheme, forcedColors, combinations[index], combinations[other]])
          expect(await difference(app, one, second), what).toBeGreaterThan(40)
        }
      }
    }
  }
})

/** How many pixels differ between two pictures of the same size. */
export function difference(app: ElectronApplication, one: Buffer, other: Buffer): Promise<number> {
  return app.evaluate(
    ({ nativeImage }, pictures) => {
      const [first, second] = pictures.map((base64) =>
        nativeImage.createFromBuffer(Buffer.from(base64, 'base64')).toBitmap(),
      ) as [Buffer, Buffer]
      let count = Math.abs(first.length - second.length)
      for (let at = 0; at < Math.min(first.length, second.length); at += 4)
        if (first.readUInt32LE(at) !== second.readUInt32LE(at)) count += 1
      return count
    },
    [one, other].map((picture) => picture.toString('base64')),
  )
}
