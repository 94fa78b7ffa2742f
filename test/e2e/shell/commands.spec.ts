import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { builtInEnvironments } from '@contract'
import { call } from '../support/bridge'
import { goTo } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { alone, expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Command palette' })
const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Search commands and deployments' })
const option = (page: Page, name: string | RegExp): Locator => palette(page).getByRole('option', { name })
const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await expect(field(page)).toBeFocused()
}

// Other tests open deployments of the sandbox, which are recent then.
alone(
  'the palette finds deployments, screens, environments and commands by keyboard, and remembers the recent ones',
  async ({ slipway, page, start }) => {
    await expect(deploymentsTable(page).getByRole('rowheader')).not.toHaveCount(0)
    const [first, second] = await askDirectly(page)
    const search = page.getByRole('textbox', { name: 'Search deployments' })
    await search.focus()

    // The focus returns to the element that had it.
    await openPalette(page)
    await expect(option(page, 'Activity')).toBeVisible()
    await slipway.resize(900, 600)
    const { y, height } = (await palette(page).boundingBox())!
    expect(y + height, 'its end is in the window').toBeLessThanOrEqual(584)
    await slipway.resize(1280, 800)
    await page.keyboard.press('Escape')
    await expect(palette(page)).toHaveCount(0)
    await expect(search).toBeFocused()

    await openPalette(page)
    await page.keyboard.type(first!.name)
    await expect(option(page, new RegExp(`^${first!.name}`)).first()).toHaveAttribute('aria-selected', 'true')
    await expect(palette(page)).toContainText(/cache of Sandbox \(cloud\)/)
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText(first!.name)
    await expect(heading(page)).toBeFocused()

    await openPalette(page)
    await page.keyboard.type(second!.id)
    await expect(option(page, new RegExp(`^${second!.name}`))).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText(second!.name)

    // The arrow keys wrap around.
    await openPalette(page)
    const recent = palette(page).getByRole('group', { name: 'Recent' }).getByRole('option')
    await expect(recent).toHaveCount(2)
    await expect(recent.nth(0)).toContainText(second!.name)
    await page.keyboard.press('ArrowDown')
    await expect(recent.nth(1)).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect(palette(page).getByRole('option').last()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Tab')
    await expect(field(page)).toBeFocused()

    await page.keyboard.type('activ')
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('Activity')

    const { 'self-hosted': selfHosted } = builtInEnvironments
    await openPalette(page)
    await page.keyboard.type('self-hosted')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()

    // Deployments of the previous environment are not among the recent ones.
    await openPalette(page)
    await expect(palette(page).getByRole('group', { name: 'Recent' })).not.toContainText(second!.name)
    await page.keyboard.type('no such thing')
    await expect(palette(page)).toContainText('Nothing matches.')
    await page.keyboard.press('Control+K')
    await expect(palette(page)).toHaveCount(0)

    // What was chosen is remembered over a restart.
    await page.keyboard.press('Control+e')
    await page.keyboard.press('1')
    await expect(page.getByRole('button', { name: 'Environment: Sandbox (cloud)' })).toBeVisible()
    await slipway.close()
    const again = (await start()).page
    await openPalette(again)
    await expect(
      palette(again).getByRole('group', { name: 'Recent' }).getByRole('option', { name: second!.name }),
    ).toBeVisible()
  },
)

test('input right after the first Ctrl+K goes to the palette, which finds what is cached while offline', async ({
  page,
  slipway,
}) => {
  await test.step('input right after the first Ctrl+K goes to the palette', async () => {
    await expect(deploymentsTable(page).getByRole('rowheader')).not.toHaveCount(0)
    const focused = await page.evaluate(async () => {
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true }))
      // A key that is queued after the shortcut arrives in the next task.
      await new Promise((resolve) => setTimeout(resolve))
      return document.activeElement?.getAttribute('aria-label')
    })
    expect(focused).toBe('Search commands and deployments')
  })
  await page.keyboard.press('Escape')
  await test.step('the palette finds what is cached while the service is unreachable', async () => {
    slipway.expectErrors(/Failed to load resource/)
    const stub = await StubService.start(
      json({
        resources: [
          { ...anyDeployment(1), name: 'billing-agent' },
          { ...anyDeployment(2), name: 'search-agent' },
        ],
        offset: 2,
      }),
    )
    await useEnvironment(page, { baseUrl: stub.baseUrl, name: 'Staging' })
    await expect(page.getByRole('link', { name: 'billing-agent' })).toBeVisible()
    await stub.close()
    await page.keyboard.press('Control+R')
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Offline')
    await openPalette(page)
    await page.keyboard.type('billing')
    await expect(option(page, /billing-agent/)).toHaveCount(1)
    await expect(palette(page)).toContainText('cache of Staging, not synced yet, last filled')
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('billing-agent')
  })
})

test("shortcuts, the menu's commands and the system's keys search, go back and forward, and act behind no dialog", async ({
  slipway,
  page,
  app,
}) => {
  await test.step('shortcuts search, go back and forward, and start a deployment', async () => {
    await expect(deploymentsTable(page).getByRole('rowheader')).not.toHaveCount(0)
    const search = page.getByRole('textbox', { name: 'Search deployments' })
    await page.keyboard.press('/')
    await expect(search).toBeFocused()
    // In the field, the key types a character.
    await page.keyboard.press('/')
    await expect(search).toHaveValue('/')
    await page.keyboard.press('Control+F')
    await page.keyboard.type('agent')
    await expect(search).toHaveValue('agent')

    // A sequence of two keys is text in the field. Elsewhere it opens a screen, whatever its second key does alone.
    await page.keyboard.type('ga')
    await expect(search).toHaveValue('agentga')
    await search.fill('agent')
    await deploymentsTable(page).getByRole('link').first().focus()
    for (const [keys, title] of [
      ['ga', 'Activity'],
      ['go', 'Overview'],
      ['gd', 'Deployments'],
    ] as const) {
      await page.keyboard.type(keys)
      await expect(heading(page)).toHaveText(title)
    }

    await page.keyboard.press('Control+N')
    await expect(heading(page)).toHaveText('New deployment')
    await page.keyboard.press('Alt+ArrowLeft')
    await expect(heading(page)).toHaveText('Deployments')
    await page.keyboard.press('Alt+ArrowRight')
    await expect(heading(page)).toHaveText('New deployment')

    const session = await page.context().newCDPSession(page)
    const press = async (button: 'back' | 'forward'): Promise<void> => {
      const at = { x: 600, y: 400, button, clickCount: 1 } as const
      await session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
      await session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
    }
    await goTo(page, 'Activity')
    await expect(heading(page)).toHaveText('Activity')
    // One step for each press: another step back would lead to the deployments.
    await press('back')
    await expect(heading(page)).toHaveText('New deployment')
    await press('forward')
    await expect(heading(page)).toHaveText('Activity')
    await press('back')
    await press('back')
    await expect(heading(page)).toHaveText('Deployments')
    expect(slipway.unexpectedErrors()).toEqual([])
  })
  await test.step('no shortcut acts behind a dialog', async () => {
    await goTo(page, 'Environments')
    await page.getByRole('button', { name: 'Add environment' }).click()
    await expect(page.getByRole('dialog', { name: 'Environment' })).toBeVisible()
    for (const key of ['Control+K', 'Control+N', 'Control+1', 'Alt+ArrowLeft']) await page.keyboard.press(key)
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await expect(page.getByRole('dialog', { name: 'Environment' })).toBeVisible()
    await expect(page).toHaveURL(/#\/environments$/)
  })
  await page.keyboard.press('Escape')
  await goTo(page, 'Deployments')
  await test.step("the menu's commands do what the shortcuts do, and it follows the environments", async () => {
    await clickMenu(app, 'new-deployment')
    await expect(heading(page)).toHaveText('New deployment')
    await clickMenu(app, 'back')
    await expect(heading(page)).toHaveText('Deployments')
    await clickMenu(app, 'open-palette')
    await expect(field(page)).toBeFocused()
    // Commands do nothing while a dialog is open.
    await clickMenu(app, 'go-activity')
    // Messages of the main process arrive in order, so the command was delivered once this call is answered. Without it,
    // Escape might come first.
    await call(page, 'app.state', {})
    await page.keyboard.press('Escape')
    await expect(heading(page)).toHaveText('Deployments')

    const environments = () =>
      app.evaluate(({ Menu }) =>
        Menu.getApplicationMenu()!
          .getMenuItemById('environments')!
          .submenu!.items.filter(({ type }) => type === 'radio')
          .map(({ label, checked }) => [label, checked]),
      )
    const { cloud, 'self-hosted': selfHosted } = builtInEnvironments
    expect(await environments()).toEqual([
      [cloud.name, true],
      [selfHosted.name, false],
    ])
    await app.evaluate(({ Menu }) => {
      const listed = Menu.getApplicationMenu()!.getMenuItemById('environments')!.submenu!.items
      ;(listed[1]!.click as () => void)()
    })
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()
    await expect.poll(environments).toEqual([
      [cloud.name, false],
      [selfHosted.name, true],
    ])
  })
  await test.step("the system's back and forward keys go back and forward", async () => {
    const press = (name: string): Promise<unknown> =>
      app.evaluate(
        ({ BrowserWindow }, command) => BrowserWindow.getAllWindows()[0]!.emit('app-command', {}, command),
        name,
      )
    for (const screen of ['Repositories', 'Environments', 'Activity']) {
      await goTo(page, screen)
      await expect(heading(page)).toHaveText(screen)
    }
    await press('browser-backward')
    await expect(heading(page)).toHaveText('Environments')
    await press('browser-forward')
    await expect(heading(page)).toHaveText('Activity')
  })
})

/** Clicks an item of the application's menu. */
const clickMenu = (app: ElectronApplication, id: string): Promise<void> =>
  app.evaluate(({ Menu }, wanted) => {
    const item = Menu.getApplicationMenu()!.getMenuItemById(wanted)!
    ;(item.click as () => void)()
  }, id)

test('the list of shortcuts changes them, refuses taken ones, and resets them', async ({
  slipway,
  page,
  app,
}) => {
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.keyboard.press('?')
  await expect(dialog).toBeVisible()
  await inspectScreen(slipway, 'shortcuts')
  const row = dialog.getByRole('row', { name: /^Refresh/ })
  await expect(row).toContainText('Ctrl+R')

  await dialog.getByRole('button', { name: 'Change the shortcut of Refresh' }).click()
  await expect(dialog.getByRole('textbox', { name: 'New shortcut of Refresh' })).toBeFocused()
  await page.keyboard.press('Control+K')
  await expect(row.getByRole('alert')).toHaveText(
    'Ctrl+K: It already belongs to "Command palette". Change that one first.',
  )
  await page.keyboard.press('Control+C')
  await expect(row.getByRole('alert')).toContainText('It already means "Copy"')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await expect(row).toContainText('Ctrl+R')

  await dialog.getByRole('button', { name: 'Change the shortcut of Command palette' }).click()
  await page.keyboard.press('Control+J')
  const environments = dialog.getByRole('row', { name: /^Environments/ })
  await expect(environments).toContainText('G then E')
  await dialog.getByRole('button', { name: 'Change the shortcut of Environments' }).click()
  await page.keyboard.press('j')
  await expect(environments.getByRole('alert')).toHaveText(
    'J: It already means "Next row" and can\'t be changed.',
  )
  await page.keyboard.type('zx')
  await expect(environments).toContainText('Z then X')
  await dialog.getByRole('button', { name: 'Change the shortcut of Keyboard shortcuts' }).click()
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.keyboard.press('Control+K')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.type('zx')
  await expect(heading(page)).toHaveText('Environments')
  await page.keyboard.press('Control+J')
  await expect(option(page, /^Keyboard shortcuts$/)).toBeVisible()
  const shown = (id: string) =>
    app.evaluate(({ Menu }, wanted) => Menu.getApplicationMenu()!.getMenuItemById(wanted)!.accelerator, id)
  await expect.poll(() => shown('open-palette')).toBe('CmdOrCtrl+J')
  await page.keyboard.type('keyboard')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Reset all' }).click()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+K')
  await expect(field(page)).toBeFocused()
  await expect.poll(() => shown('open-palette')).toBe('CmdOrCtrl+K')
})

test('Help shows the version of Slipway, and a text field has a context menu, which copies no masked text', async ({
  page,
  app,
}) => {
  await test.step('Help shows the version of Slipway', async () => {
    await clickMenu(app, 'show-about')
    const about = page.getByRole('dialog', { name: 'About Slipway' })
    await expect(about).toContainText(/Electron \d+\.\d+\.\d+, Chromium \d+/)
    await expect(about).toContainText('MIT')
  })
  await page.keyboard.press('Escape')
  await test.step('a text field has a context menu, which copies no masked text', async () => {
    await app.evaluate(({ Menu }) => {
      const menus: string[][] = []
      Object.assign(globalThis, { openedMenus: menus })
      Menu.prototype.popup = function (this: Electron.Menu) {
        menus.push(this.items.filter(({ type }) => type !== 'separator').map(({ label }) => label))
      }
    })
    const opened = (): Promise<string[][]> =>
      app.evaluate(() => (globalThis as unknown as { openedMenus: string[][] }).openedMenus)
    await page.getByRole('textbox', { name: 'Search deployments' }).click({ button: 'right' })
    await expect.poll(opened).toEqual([['Undo', 'Redo', 'Cut', 'Copy', 'Paste', 'Select all']])

    await goTo(page, 'New deployment')
    await page.getByRole('button', { name: 'Add secret', exact: true }).click()
    const secret = page.getByLabel('Secret 1 value', { exact: true })
    await secret.fill('a value that is masked')
    await secret.selectText()
    await secret.click({ button: 'right' })
    await expect.poll(async () => (await opened()).at(-1)).toEqual(['Undo', 'Redo', 'Paste', 'Select all'])
  })
})
