import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'libsql'
import type { ElectronApplication, Page } from '@playwright/test'
import { choose, chooseMore, deploymentsTable, setPageSize, shownNames } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../support/services/stub-service'

/** A service whose deployments a test changes, and which may be down; the newest come first. */
async function changingService(count = 5) {
  const newestFirst = Array.from({ length: count }, (_, index) => anyDeployment(count - index))
  const state = { all: newestFirst, isDown: false }
  const down = json({ detail: 'Being maintained.' }, 500)
  const list = listOf(() => state.all)
  const stub = await StubService.start((...args) => (state.isDown ? down : list)(...args))
  return { state, stub }
}

/** Records the rows marked from now on, since a mark may be gone before a slow test looks. Gives the first's text. */
async function noteMarkedRows(page: Page): Promise<() => Promise<string>> {
  const notes = await deploymentsTable(page).evaluateHandle((table) => {
    const texts: string[] = []
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        if ((target as Element).matches('tr.is-marked')) texts.push(target.textContent ?? '')
      }
    }).observe(table, { subtree: true, attributeFilter: ['class'] })
    return texts
  })
  return () => notes.evaluate((texts) => texts[0] ?? '')
}

test("the live list follows its service without moving a row, and the cached one says why it can't", async ({
  page,
}) => {
  const { state, stub } = await changingService()
  try {
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await setPageSize(page, 3)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByText('4–5')).toBeVisible()
    await choose(page, 'Auto-refresh', 'Every 5 s')
    const row = (name: string) => deploymentsTable(page).getByRole('row').filter({ hasText: name })
    const marked = await noteMarkedRows(page)

    state.all = [
      anyDeployment(6),
      ...state.all.flatMap((one) =>
        one.name === 'stub-1' ? [] : one.name === 'stub-2' ? [{ ...one, status: 'UNUSED' }] : [one],
      ),
    ]
    await expect(row('stub-2')).toContainText('Unused', { timeout: 20_000 })
    await expect.poll(marked).toMatch(/^stub-2/)
    await expect(row('stub-1')).toContainText('deleted')
    expect(await shownNames(page)).toEqual(['stub-2', 'stub-1'])
    await expect(page.getByText('1 new deployment')).toHaveCount(2)
    await expect(row('stub-2')).not.toHaveClass(/is-marked/)

    await page.getByRole('button', { name: 'Show 1 new deployment' }).click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-6', 'stub-5', 'stub-4'])
    await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()
    await expect(page.getByRole('button', { name: /^Show/ })).toHaveCount(0)
  } finally {
    await stub.close()
  }
  await test.step('a refresh of the cached list says why the service could not be asked', async () => {
    const { state, stub } = await changingService()
    try {
      await useEnvironment(page, { name: 'Other', baseUrl: stub.baseUrl })
      await expect.poll(() => shownNames(page)).toHaveLength(5)
      await page.getByRole('radio', { name: 'Cached' }).check()
      await expect.poll(() => shownNames(page)).toHaveLength(5)
      state.all = [anyDeployment(6), ...state.all]
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect.poll(() => shownNames(page)).toContain('stub-6')
      state.isDown = true
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByRole('alert')).toContainText('Being maintained.')
      expect(await shownNames(page)).toContain('stub-6')
      await page.getByRole('textbox', { name: 'Search deployments' }).fill('stub-6')
      await expect(page.getByText('1 of 6 cached deployments')).toBeVisible()
    } finally {
      await stub.close()
    }
  })
})

const favourite = (page: Page) => page.getByRole('button', { name: 'Favourite', exact: true })
const note = (page: Page) => page.getByRole('textbox', { name: 'Note' })

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
}

test('a favourite, labels and a note survive a restart, and belong to one service', async ({
  slipway,
  page,
  start,
  userData,
}) => {
  const { stub } = await changingService(3)
  const other = await changingService(3)
  try {
    await useEnvironment(page, { name: 'Notes', baseUrl: stub.baseUrl })
    await open(page, 'stub-2')
    await expect(favourite(page)).toHaveAttribute('aria-pressed', 'false')
    await favourite(page).click()
    await expect(favourite(page)).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('combobox', { name: 'Add label' }).fill('mine')
    await page.keyboard.press('Enter')
    const labels = page.getByRole('list', { name: 'Labels' })
    await expect(labels.getByText('mine')).toBeVisible()
    // Right away, before the first call is answered.
    for (const label of ['red', 'blue']) {
      await page.getByRole('combobox', { name: 'Add label' }).fill(label)
      await page.keyboard.press('Enter')
    }
    await expect(labels.getByRole('listitem')).toHaveText(['mine', 'red', 'blue'])
    await labels.evaluate((list) => list.querySelectorAll('button').forEach((each, at) => at && each.click()))
    await expect(labels.getByRole('listitem')).toHaveText(['mine'])
    await note(page).fill('Ask Ann before you touch it.')
    await page.getByRole('heading', { level: 1 }).click()
    await expect(page.getByText('Stored on this machine only')).toBeVisible()
    await inspectScreen(slipway, 'deployment-annotated')

    // As long as another program writes, no note can be saved, and that is said on every screen.
    const otherWriter = new Database(join(userData, 'state.db'))
    otherWriter.exec('begin immediate')
    await note(page).fill('Ask Ann.')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    const banner = page.getByRole('region', { name: 'Unsaved notes' })
    await expect(banner).toContainText("The note of stub-2 isn't saved yet.")
    await banner.getByRole('link', { name: 'Open stub-2' }).click()
    await expect(note(page)).toHaveValue('Ask Ann.')
    otherWriter.exec('rollback')
    otherWriter.close()
    await banner.getByRole('button', { name: 'Retry' }).click()
    await expect(banner).toHaveCount(0)
    // The application is closed right after the input.
    await note(page).pressSequentially(' Thanks.')
    await slipway.close()

    const again = await start()
    // A start opens the last screen.
    await expect(again.page.getByRole('heading', { name: 'stub-2', level: 1 })).toBeVisible()
    await expect(favourite(again.page)).toHaveAttribute('aria-pressed', 'true')
    await expect(again.page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await expect(note(again.page)).toHaveValue('Ask Ann. Thanks.')

    // Another service with the same identifiers has its own notes.
    await useEnvironment(again.page, { name: 'Other', baseUrl: other.stub.baseUrl })
    await again.page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Deployments' })
      .click()
    await open(again.page, 'stub-2')
    await expect(favourite(again.page)).toHaveAttribute('aria-pressed', 'false')
    await expect(note(again.page)).toHaveValue('')
  } finally {
    await stub.close()
    await other.stub.close()
  }
})

test('favourites and labels filter the list, and a favourite that is gone is still named', async ({
  slipway,
  page,
}) => {
  const { state, stub } = await changingService(3)
  const star = (name: string) => page.getByRole('button', { name: `Favourite ${name}`, exact: true })
  const favourites = page.getByRole('button', { name: 'Favourites', exact: true })
  try {
    await useEnvironment(page, { name: 'Notes', baseUrl: stub.baseUrl })
    await expect.poll(() => shownNames(page)).toHaveLength(3)
    await page.getByRole('row').filter({ hasText: 'stub-3' }).hover()
    await star('stub-3').click()
    await expect(star('stub-3')).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('link', { name: 'stub-1', exact: true }).focus()
    await page.keyboard.press('f')
    await expect(star('stub-1')).toHaveAttribute('aria-pressed', 'true')
    await open(page, 'stub-1')
    await page.getByRole('combobox', { name: 'Add label' }).fill('mine')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await page.getByRole('button', { name: 'Back to the list' }).click()

    await favourites.click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3', 'stub-1'])
    await choose(page, 'Label', 'mine')
    await expect.poll(() => shownNames(page)).toEqual(['stub-1'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => shownNames(page)).toHaveLength(3)

    state.all = state.all.filter(({ name }) => name !== 'stub-1')
    await favourites.click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3'])
    const gone = page.getByRole('region', { name: 'Gone favourites' })
    await expect(gone).toContainText(/stub-1\s*gone/)
    await inspectScreen(slipway, 'deployments-favourite-gone')
    await gone.getByRole('link', { name: 'stub-1' }).click()
    await expect(page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await page.getByRole('button', { name: 'Back to the list' }).first().click()
    await gone.getByRole('button', { name: 'Remove stub-1 from favourites' }).click()
    await expect(gone).toHaveCount(0)

    await page.getByRole('radio', { name: 'Cached' }).check()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3'])
    await star('stub-3').click()
    await expect.poll(() => shownNames(page)).toEqual([])
  } finally {
    await stub.close()
  }
})

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

test('a view is saved, shared as a file, imported again, renamed and removed', async ({
  page,
  app,
  userData,
}) => {
  const file = join(userData, 'shared.json')
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  await saveView(page, 'Everything')
  await search(page).fill('agent')
  await choose(page, 'Status', 'Ready')
  await page.keyboard.press('Escape')
  await setPageSize(page, 20)
  await saveView(page, 'Ready agents')
  await expect(view(page)).toHaveValue('Ready agents')
  await choose(page, 'View', 'Everything')
  await expect(search(page)).toHaveValue('')
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)

  await chooseMore(page, 'Manage views')
  const dialog = page.getByRole('dialog', { name: 'Views' })
  await chooseFile(app, file)
  await dialog.getByRole('button', { name: 'Share Ready agents' }).click()
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('"Ready agents"')
  expect(await readFile(file, 'utf8')).not.toMatch(/built-in|127\.0\.0\.1|environment/i)

  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(dialog.getByRole('list', { name: 'Views in the file' })).toContainText('Search: agent')
  await dialog.getByRole('button', { name: 'Add for all environments' }).click()
  await expect(dialog.getByRole('list', { name: 'Views' })).toContainText('Ready agents (2)')
  await writeFile(file, '{"format":"slipway-views","version":1,"views":[{"name":"a\u202eb"}]}')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(dialog.getByRole('alert')).toContainText('is not a file with views')
  await expect(dialog.getByRole('list', { name: 'Views' }).getByRole('listitem')).toHaveCount(3)
  await dialog.getByRole('button', { name: 'Rename Everything' }).click()
  await dialog.getByRole('textbox', { name: 'New name' }).fill('All of it')
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(dialog.getByText('All of it')).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove All of it' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await choose(page, 'View', 'Ready agents')
  await expect(search(page)).toHaveValue('agent')
  await expect(page.getByRole('combobox', { name: 'Page size' })).toHaveValue(/20/)
})
