import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { choose, chooseMore, deploymentsTable, setPageSize } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { inspectScreen } from '../../support/page/screens'

/** Makes the system's dialogs choose a path. */
const chooseFile = (app: ElectronApplication, path: string): Promise<void> =>
  app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [filePath] })
  }, path)

const search = (page: Page) => page.getByRole('textbox', { name: 'Search deployments' })
const view = (page: Page) => page.getByRole('combobox', { name: 'View', exact: true })

async function saveView(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

test('a view is saved, survives a restart, and is shared as a file and imported again', async ({
  slipway,
  page,
  app,
  start,
  userData,
}) => {
  const file = join(userData, 'shared.json')
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await saveView(page, 'Everything')
  await search(page).fill('agent')
  await choose(page, 'Status', 'Ready')
  await page.keyboard.press('Escape')
  await setPageSize(page, 20)
  await saveView(page, 'Ready agents')
  await expect(view(page)).toHaveValue('Ready agents')
  await inspectScreen(slipway, 'deployments-views')
  await choose(page, 'View', 'Everything')
  await expect(search(page)).toHaveValue('')
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)

  await chooseMore(page, 'Manage views')
  const dialog = page.getByRole('dialog', { name: 'Views' })
  await inspectScreen(slipway, 'views')
  await chooseFile(app, file)
  await dialog.getByRole('button', { name: 'Share Ready agents' }).click()
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('"Ready agents"')
  expect(await readFile(file, 'utf8')).not.toMatch(/built-in|127\.0\.0\.1|environment/i)

  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(dialog.getByRole('list', { name: 'Views in the file' })).toContainText('Search: agent')
  await inspectScreen(slipway, 'views-import')
  await dialog.getByRole('button', { name: 'Add for all environments' }).click()
  await expect(dialog.getByRole('list', { name: 'Views' })).toContainText('Ready agents (2)')
  await writeFile(file, '{"format":"slipway-views","version":1,"views":[{"name":"a\u202eb"}]}')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(dialog.getByRole('alert')).toContainText('is not a file with views')
  await expect(dialog.getByRole('list', { name: 'Views' }).getByRole('listitem')).toHaveCount(3)
  await slipway.close()

  const again = await start()
  await choose(again.page, 'View', 'Ready agents')
  await expect(search(again.page)).toHaveValue('agent')
  await expect(again.page.getByRole('combobox', { name: 'Page size' })).toHaveValue(/20/)
  await chooseMore(again.page, 'Manage views')
  const views = again.page.getByRole('dialog', { name: 'Views' })
  await views.getByRole('button', { name: 'Rename Everything' }).click()
  await views.getByRole('textbox', { name: 'New name' }).fill('All of it')
  await views.getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(views.getByText('All of it')).toBeVisible()
  await views.getByRole('button', { name: 'Remove All of it' }).click()
  await views.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(views.getByRole('listitem')).toHaveCount(2)
})
