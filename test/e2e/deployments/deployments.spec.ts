import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleTagValueIds } from '@contract'
import type { ElectronApplication, Page } from '@playwright/test'
import {
  askDirectly,
  choose,
  deploymentsTable,
  openSection,
  setPageSize,
  shownNames,
} from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { pageOf } from '../../support/builders/answer-bodies'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

test('pages to the end and back, and takes every page size from 1 to 100 and no other', async ({ page }) => {
  const next = page.getByRole('button', { name: 'Next page' })
  const previous = page.getByRole('button', { name: 'Previous page' })
  const rows = deploymentsTable(page).getByRole('rowheader')
  const expected = (await askDirectly(page)).map(({ name }) => name)
  expect(expected).toHaveLength(250)
  await setPageSize(page, 50)
  await expect(rows).toHaveCount(50)
  await expect(previous).toBeDisabled()

  const pages: string[][] = [await shownNames(page)]
  for (let offset = 50; offset < 250; offset += 50) {
    await next.click()
    await expect(page.getByText(`${offset + 1}–${offset + 50}`)).toBeVisible()
    pages.push(await shownNames(page))
  }
  expect(pages.flat(), 'each deployment exactly once').toEqual(expected)
  // The last page is full, so that only the next one tells that nothing follows.
  await next.click()
  await expect(page.getByText('End of the list')).toBeVisible()
  await expect(next).toBeDisabled()
  await expect(page.getByText('201–250')).toBeVisible()
  expect(await shownNames(page)).toEqual(pages.at(-1))
  for (const names of pages.slice(0, -1).reverse()) {
    await previous.click()
    await expect(rows.first()).toContainText(names[0]!)
    expect(await shownNames(page)).toEqual(names)
  }
  await expect(previous).toBeDisabled()

  for (const size of [100, 1]) {
    await setPageSize(page, size)
    await expect(rows).toHaveCount(size)
  }
  for (const wrong of ['0', 'many']) {
    const field = page.getByRole('combobox', { name: 'Page size' })
    await field.fill(wrong)
    await field.press('Enter')
    await expect(page.getByText('Enter a whole number from 1 to 100.')).toBeVisible()
    await expect(rows).toHaveCount(1)
  }
})

test('filters by every field, alone and together, and shows what the service refuses', async ({ page }) => {
  await setPageSize(page, 20)
  const all = await askDirectly(page)
  const clear = page.getByRole('button', { name: 'Clear filters' })
  const text = (name: string) => page.getByRole('textbox', { name })
  const shows = async (expected: { name: string }[]): Promise<void> => {
    expect(expected.length).toBeGreaterThan(0)
    await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 20).map(({ name }) => name))
  }

  const part = all[0]!.name.slice(0, 5)
  await text('Search deployments').pressSequentially(part)
  await shows(all.filter(({ name }) => name.includes(part)))
  await clear.click()

  await choose(page, 'Status', 'Unused')
  await page.getByRole('option', { name: 'Unknown', exact: true }).click()
  await shows(all.filter(({ status }) => ['UNUSED', 'UNKNOWN'].includes(status)))
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Unused, Unknown')
  await page.getByRole('button', { name: /^Not ready/ }).click()
  const notReady = all.filter(({ status }) => status !== 'READY')
  await shows(notReady)
  const next = page.getByRole('button', { name: 'Next page' })
  const shown = await shownNames(page)
  while (await next.isEnabled()) {
    await next.click()
    await expect(page.getByText(`${shown.length + 1}–`)).toBeVisible()
    shown.push(...(await shownNames(page)))
  }
  expect(shown).toEqual(notReady.map(({ name }) => name))
  await clear.click()

  await choose(page, 'Deployment type', 'Development (free)')
  await shows(await askDirectly(page, { deployment_type: 'dev_free' }))
  await choose(page, 'Remote reconciled', 'No')
  await shows(await askDirectly(page, { deployment_type: 'dev_free', remote_reconciled: false }))
  await clear.click()
  const version = all.find(({ image_version }) => image_version)!.image_version!
  await text('Image version').fill(version)
  await shows(all.filter(({ image_version }) => image_version === version))
  await clear.click()
  const tags = Object.values(sampleTagValueIds).slice(0, 2)
  const tagged = await askDirectly(page, { tag_value_ids: tags.join(',') })
  expect(tagged.length).toBeLessThan(all.length)
  await text('Tag value IDs').fill(tags.join(' , '))
  await shows(tagged)
  await clear.click()
  const chosen = [all[3]!, all[120]!]
  await text('Deployment IDs').fill(chosen.map(({ id }) => id).join(', '))
  await shows(chosen)

  await text('Deployment IDs').fill('not-an-identifier')
  await expect(page.getByRole('alert')).toContainText('UUID')
  await text('Deployment IDs').fill('')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await shows(all)

  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('21–40')).toBeVisible()
  await choose(page, 'Status', 'Ready')
  await text('Search deployments').fill('agent')
  await shows(all.filter(({ name, status }) => name.includes('agent') && status === 'READY'))
  await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()
  await text('Search deployments').fill('no deployment is called this')
  await expect(page.getByText('No deployment matches the filters')).toBeVisible()
  await clear.click()
  await shows(all)
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('')
  await expect(text('Search deployments')).toHaveValue('')
})

test('filters live and in the cache alike, with counts, and leads from one to the other', async ({
  page,
}) => {
  await setPageSize(page, 100)
  const all = await askDirectly(page)

  const but = (...left: string[]) =>
    all.filter(({ status }) => !left.includes(status)).map(({ name }) => name)
  const field = page.getByRole('combobox', { name: 'Status', exact: true })
  const isNot = page.getByRole('button', { name: 'Status is not', exact: true })
  await expect(isNot).toHaveCount(0)
  await choose(page, 'Status', 'Ready')
  await page.keyboard.press('Escape')
  await isNot.click()
  await expect(field).toHaveValue('not Ready')
  expect(await field.evaluate((one) => one.scrollWidth <= one.clientWidth), 'nothing is cut off').toBe(true)
  await expect(isNot).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => shownNames(page)).toEqual(but('READY').slice(0, 100))

  const unused = all.find(({ status }) => status === 'UNUSED')!
  const row = deploymentsTable(page).getByRole('row').filter({ hasText: unused.name })
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Hide status Unused' }).click()
  await expect(field).toHaveValue('not Ready, Unused')
  await expect.poll(() => shownNames(page)).toEqual(but('READY', 'UNUSED').slice(0, 100))

  await page.getByRole('radio', { name: 'Cached' }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect(deploymentsTable(page)).toHaveAttribute(
    'aria-rowcount',
    String(but('READY', 'UNUSED').length + 1),
  )
  await isNot.click()
  await expect(deploymentsTable(page)).toHaveAttribute(
    'aria-rowcount',
    String(all.length - but('READY', 'UNUSED').length + 1),
  )
  await expect(field).toHaveValue('Ready, Unused')
  await page.getByRole('button', { name: 'Clear filters' }).click()

  const notReady = all.filter(({ status }) => status !== 'READY')
  const preset = page.getByRole('button', { name: `Not ready ${notReady.length}`, exact: true })
  await preset.click()
  await expect(preset).toHaveAttribute('aria-pressed', 'true')
  await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', String(notReady.length + 1))
  expect(await shownNames(page)).toEqual(
    notReady.slice(0, (await shownNames(page)).length).map(({ name }) => name),
  )
  await preset.click()
  await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')

  const wanted = all.find(({ image_uri }) => image_uri)!
  await page.getByRole('radio', { name: 'Live' }).check()
  const search = page.getByRole('textbox', { name: 'Search deployments' })
  await search.fill(wanted.id)
  await expect(page.getByText('The live search covers names only.')).toBeVisible()
  await page.getByRole('button', { name: 'Search the cache' }).click()
  await expect.poll(() => shownNames(page)).toEqual([wanted.name])
  await expect(search).toBeFocused()
  await search.fill(wanted.image_uri!)
  await expect.poll(() => shownNames(page)).toContain(wanted.name)
  await search.fill('')
  await expect(page.getByRole('radio', { name: 'Live' })).toBeChecked()
  await expect.poll(() => shownNames(page)).toEqual(all.slice(0, 100).map(({ name }) => name))

  const updated = deploymentsTable(page).getByRole('columnheader', { name: 'Updated' })
  await updated.getByRole('button').click()
  await expect(updated).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByText("The service can't sort, so the list comes from the cache.")).toBeVisible()
  await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
  await page.getByRole('button', { name: 'Show live' }).click()
  await expect(page.getByRole('radio', { name: 'Live' })).toBeChecked()
})

test('opens a deployment, copies from it, clones it, and comes back to the same page', async ({
  page,
  app,
}) => {
  await setPageSize(page, 10)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('11–20')).toBeVisible()
  const names = await shownNames(page)
  const deployment = (await askDirectly(page)).find(({ name }) => name === names[2])!
  const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
  const copyOfRow = page.getByRole('button', { name: `Copy ID of ${deployment.name}`, exact: true })
  await page.getByRole('link', { name: deployment.name, exact: true }).hover()
  await copyOfRow.click()
  await expect.poll(clipboard).toBe(deployment.id)
  await expect(copyOfRow).toHaveAttribute('title', 'Copied')
  await app.evaluate(({ clipboard }) => clipboard.clear())
  await page.getByRole('link', { name: deployment.name, exact: true }).click()

  await expect(page.getByRole('heading', { name: deployment.name, level: 1 })).toBeFocused()
  await page.getByRole('button', { name: 'Copy ID', exact: true }).click()
  await expect.poll(clipboard).toBe(deployment.id)
  await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
  await expect.poll(clipboard).toContain(`"name": "${deployment.name}"`)
  const copied = JSON.parse(await clipboard()) as { id: string; secrets: { value: string }[] }
  expect(copied.id).toBe(deployment.id)
  expect(copied.secrets.every(({ value }) => value === '')).toBe(true)
  for (const title of ['Source', 'Latest revision', 'Secrets', 'Identifiers', 'Times']) {
    await expect(page.getByRole('region', { name: title, exact: true })).toBeVisible()
  }
  await openSection(page, 'JSON')
  await expect(page.getByRole('region', { name: 'Deployment as JSON' })).toContainText(deployment.id)

  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(page.getByText('11–20')).toBeVisible()
  expect(await shownNames(page)).toEqual(names)

  await page.getByRole('link', { name: deployment.name, exact: true }).click()
  await page.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeFocused()
  const isOfRepository = deployment.source === 'repohost'
  const [field, value] = isOfRepository
    ? (['Repository URL', deployment.repo_url] as const)
    : (['Image URI', deployment.image_uri] as const)
  const cloned = page.getByRole(isOfRepository ? 'combobox' : 'textbox', { name: field })
  await expect(cloned).toHaveValue(value ?? '')
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).not.toHaveValue(deployment.name)

  await page.evaluate(() => {
    location.hash = '#/deployments/00000000-0000-4000-8000-000000000000'
  })
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByRole('alert').getByRole('button', { name: 'Back to the list' }).click()
  await expect(deploymentsTable(page)).toBeVisible()
})

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

  for (const [button, index] of [
    ['Next', 5],
    ['Previous', 4],
  ] as const) {
    await page.getByRole('button', { name: `${button} deployment` }).click()
    await expect(page.getByRole('heading', { name: names[index]!, level: 1 })).toBeFocused()
  }
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

  const all = await askDirectly(page)
  const wanted = all[20]!.name
  const search = page.getByRole('textbox', { name: 'Search deployments' })
  const link = page.getByRole('link', { name: wanted, exact: true })
  for (const [data, key] of [
    ['Cached', 'ArrowDown'],
    ['Live', 'Enter'],
  ] as const) {
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
})

/** Lets the next "Save" dialog choose a file. */
function answerSaveDialog(app: ElectronApplication, filePath: string): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path })
  }, filePath)
}

test('the whole filtered list is exported, live and cached, and can be cancelled', async ({
  page,
  app,
  userData,
}) => {
  const all = Array.from({ length: 230 }, (_, index) => ({
    ...anyDeployment(index),
    name: index === 3 ? '=HYPERLINK("http://x")' : `agent-${index}`,
  }))
  let hold: Promise<void> | null = null
  const service = await StubService.start((query, response, headers) => {
    const wanted = all.filter(({ name }) => name.includes(query.get('name_contains') ?? ''))
    const answer = (): void => json(pageOf(wanted, query))(query, response, headers)
    if (hold === null || query.get('offset') === '0') answer()
    else void hold.then(answer)
  })
  await useEnvironment(page, { name: 'Production', baseUrl: service.baseUrl })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await expect(page.getByRole('link', { name: 'agent-1', exact: true })).toBeVisible()

  const csv = join(userData, 'list.csv')
  await answerSaveDialog(app, csv)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Export deployments' })
  await dialog.getByRole('button', { name: 'Export…' }).click()
  await expect(dialog).toContainText('Saved 230 deployments.')
  const lines = (await readFile(csv, 'utf8')).split('\r\n')
  expect(lines).toHaveLength(232)
  expect(lines[4]).toMatch(/^"'=HYPERLINK\(""http:\/\/x""\)",/)
  await dialog.getByRole('radio', { name: 'Semicolon' }).check()
  await dialog.getByRole('button', { name: 'Export…' }).click()
  await expect.poll(() => readFile(csv, 'utf8')).toMatch(/^\ufeffname;id;status;source;/)
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  let release = (): void => {}
  hold = new Promise((resolve) => (release = resolve))
  const cancelled = join(userData, 'cancelled.csv')
  await answerSaveDialog(app, cancelled)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await dialog.getByRole('button', { name: 'Export…' }).click()
  await expect(dialog).toContainText('100 deployments')
  await dialog.getByRole('button', { name: 'Cancel export' }).click()
  await expect(dialog.getByRole('button', { name: 'Cancel export' })).toBeHidden()
  release()
  await expect(readFile(cancelled)).rejects.toThrow('ENOENT')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect(page.locator('[data-shown]')).toContainText('230 cached deployments')
  await page.getByRole('textbox', { name: 'Search deployments' }).fill('agent-22')
  await expect(page.locator('[data-shown]')).toContainText(/^11 .*cached deployments/)
  const cachedFile = join(userData, 'cached.json')
  await answerSaveDialog(app, cachedFile)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(dialog.getByRole('radio', { name: 'Semicolon' })).toBeChecked()
  await dialog.getByRole('radio', { name: 'JSON' }).check()
  await expect(dialog.getByRole('radiogroup', { name: 'Separator' })).toBeHidden()
  await dialog.getByRole('button', { name: 'Export…' }).click()
  await expect(dialog).toContainText('Saved 11 deployments.')
  const exported = JSON.parse(await readFile(cachedFile, 'utf8')) as { name: string }[]
  // The dialog hides the page from screen readers.
  const table = page.getByRole('table', { name: 'Deployments', includeHidden: true })
  const shown = await table.getByRole('rowheader', { includeHidden: true }).allInnerTexts()
  expect(exported.map(({ name }) => name)).toEqual(shown)
  await app.evaluate(({ shell }) => {
    shell.showItemInFolder = (path) => Object.assign(globalThis, { shownFile: path })
  })
  await dialog.getByRole('button', { name: 'Show in folder' }).click()
  await expect
    .poll(() => app.evaluate(() => Reflect.get(globalThis, 'shownFile') as unknown))
    .toBe(cachedFile)
  await service.close()
})
