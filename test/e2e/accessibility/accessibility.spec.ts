import type { ServerResponse } from 'node:http'
import { sampleIntegrationId } from '@contract'
import { expectAccessible, inspectScreen } from '../support/page/accessibility'
import { goTo, openForm } from '../support/page/creation'
import { askDirectly, chooseMore, deploymentsTable, setPageSize } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

const inDark = [{ colorScheme: 'dark' }] as const

test('every screen is accessible, in light and in dark', async ({ slipway, page }) => {
  await setPageSize(page, 10)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  await inspectScreen(slipway, 'deployments', inDark)
  const { id, name } = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
  await page.evaluate((found) => (location.hash = `#/deployments/${found}`), id)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Latest revision' })).toBeVisible()
  await inspectScreen(slipway, 'deployment', inDark)

  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'List repositories' }).click()
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('row').nth(5)).toBeVisible()
  await inspectScreen(slipway, 'repositories', inDark)

  await openForm(page)
  await inspectScreen(slipway, 'new-deployment', inDark)
  for (const screen of ['Environments', 'Activity', 'Overview', 'Board']) {
    await goTo(page, screen)
    await expect(page.getByRole('heading', { name: screen, level: 1 })).toBeVisible()
    await expect(page.getByRole('main').locator('[aria-busy="true"]')).toHaveCount(0)
    await inspectScreen(slipway, screen.toLowerCase(), inDark)
  }
})

test('the states of the list and of a creation: failed, empty, unreadable, stuck, loading, on its way, created', async ({
  slipway,
  page,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const stub = await StubService.start(json({ detail: 'The API key is missing.' }, 401))
  await useEnvironment(page, { baseUrl: stub.baseUrl, protected: true })
  await expect(page.getByRole('alert')).toContainText('The API key is missing.')
  await expectAccessible(page, 'a failure, in a protected environment')

  stub.answer = json({ resources: [], offset: 0 })
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No deployments yet')).toBeVisible()

  await page.getByRole('textbox', { name: 'Search deployments' }).fill('nothing')
  await expect(page.getByText('No deployment matches the filters')).toBeVisible()

  stub.answer = json({ resources: [anyDeployment(1), { name: 'no id' }, 7], offset: 3 })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.locator('summary', { hasText: "2 of 3 entries couldn't be read" }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Entry 2: ' })).toBeVisible()
  await expectAccessible(page, 'entries that could not be read')

  await setPageSize(page, 10)
  const full = Array.from({ length: 10 }, (_, index) => anyDeployment(index))
  stub.answer = json({ resources: full, offset: 0 })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText(/so the list stops here/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled()

  stub.answer = () => {}
  await page.getByRole('button', { name: 'Refresh' }).click()
  const cancel = page.getByRole('contentinfo').getByRole('button', { name: 'Cancel', exact: true })
  await expect(cancel).toBeVisible()
  await expectAccessible(page, 'loading')
  await cancel.click()
  await expect(cancel).toHaveCount(0)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  await stub.close()
  await test.step('a creation in progress, and one that succeeded', async () => {
    const list = json({ resources: [], offset: 0 })
    const stub = await StubService.start(list)
    await useEnvironment(page, { name: 'Slow', baseUrl: stub.baseUrl })
    await goTo(page, 'New deployment')
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('on-its-way')
    await page.getByRole('button', { name: 'Create deployment' }).click()
    const send = page.getByRole('button', { name: 'Create in Slow' })
    await expect(send).toBeVisible()
    const held = new Promise<ServerResponse>((resolve) => {
      stub.answer = (query, response, headers) => {
        if (response.req.method === 'POST') resolve(response)
        else list(query, response, headers)
      }
    })
    await send.click()
    const response = await held
    await expect(send).toBeDisabled()
    await expectAccessible(page, 'a creation on its way')
    const created = {
      ...anyDeployment(1),
      name: 'on-its-way',
      status: 'AWAITING_DATABASE',
      source: 'internal_docker',
      source_config: {},
      source_revision_config: {},
      created_at: new Date().toISOString(),
    }
    stub.answer = json({ resources: [created], offset: 1 })
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(created))
    await expect(page.getByRole('button', { name: 'Create another like it' })).toBeVisible()
    await expectAccessible(page, 'a creation that succeeded')
    await stub.close()
  })
})

test('what opens over the list and the board', async ({ page }) => {
  await setPageSize(page, 10)
  const rows = deploymentsTable(page).getByRole('row')
  await expect(rows).toHaveCount(11)
  await page.getByRole('combobox', { name: 'Status', exact: true }).click()
  await expect(page.getByRole('listbox', { name: 'Status' })).toBeVisible()
  await expectAccessible(page, 'the choices of Status')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await page.getByRole('button', { name: /^Environment: / }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page, 'the environment menu')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)

  await rows.nth(2).getByRole('checkbox').check()
  await rows.nth(4).getByRole('checkbox').check()
  await expect(page.getByRole('toolbar', { name: 'Selection' })).toBeVisible()

  await rows.nth(2).getByRole('cell').nth(2).click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page, 'the menu of a row')
  await page.keyboard.press('Escape')

  await rows.nth(3).getByRole('cell').nth(2).click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Deployment panel' })).toBeVisible()
  await expectAccessible(page, 'the panel')

  await page.keyboard.press('Control+K')
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
  await expectAccessible(page, 'the palette')
  await page.keyboard.press('Escape')

  await chooseMore(page, 'Watch this list')
  await expect(page.getByRole('dialog', { name: 'Watch this list' })).toBeVisible()
  await expectAccessible(page, 'the dialog of a watch')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: /^Notices, / }).click()
  const notices = page.getByRole('region', { name: 'Notices' })
  await notices.getByRole('button', { name: 'Watches' }).click()
  await expectAccessible(page, 'no watches')
  await page.keyboard.press('Escape')

  await goTo(page, 'Environments')
  const add = page.getByRole('button', { name: 'Add environment' })
  await add.click()
  const dialog = page.getByRole('dialog', { name: 'Environment' })
  await expect(dialog).toBeVisible()
  await expectAccessible(page, 'the environment dialog')
  for (let press = 0; press < 30; press += 1) {
    await page.keyboard.press('Tab')
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(add).toBeFocused()

  await goTo(page, 'Board')
  const deployed = page
    .getByRole('grid', { name: 'Board' })
    .getByRole('gridcell')
    .filter({ hasText: /Ready/ })
    .first()
  await expect(deployed).toBeVisible()
  await deployed.click({ modifiers: ['Control'] })
  await expect(deployed).toHaveAttribute('aria-selected', 'true')
  await deployed.click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page, 'the menu of a cell, which is selected')
  await page.getByRole('menuitem', { name: /^Move/ }).click()
  await expect(page.getByRole('dialog', { name: 'Move to another agent' })).toBeVisible()
  await expectAccessible(page, 'the dialog for another agent')
})
