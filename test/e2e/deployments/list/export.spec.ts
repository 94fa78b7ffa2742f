import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication } from '@playwright/test'
import { pageOf } from '../../../support/builders/page-of'
import { expect, test } from '../../support/fixtures'
import { inspectScreen } from '../../support/page/screens'
import { anyDeployment, json, StubService, useEnvironment } from '../../support/services/stub-service'

/** Lets the next "Save" dialog choose a file. */
function answerSaveDialog(app: ElectronApplication, filePath: string): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path })
  }, filePath)
}

test('the whole filtered list is exported, live and cached, and can be cancelled', async ({
  start,
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
  const slipway = await start()
  const { page, app } = slipway
  await useEnvironment(page, { name: 'Production', baseUrl: service.baseUrl })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await expect(page.getByRole('link', { name: 'agent-1', exact: true })).toBeVisible()

  const csv = join(userData, 'list.csv')
  await answerSaveDialog(app, csv)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Export deployments' })
  await inspectScreen(slipway, 'export')
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
  const shown = await page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader').allInnerTexts()
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

test('the next start deletes what a killed export left beside the chosen file', async ({
  start,
  userData,
}) => {
  const all = Array.from({ length: 230 }, (_, index) => anyDeployment(index))
  const service = await StubService.start((query, response, headers) => {
    // The second page of the export is never answered.
    if ((query.get('offset') ?? '0') === '0') json(pageOf(all, query))(query, response, headers)
  })
  const folder = join(userData, 'chosen')
  await mkdir(folder)
  const slipway = await start()
  const { page, app } = slipway
  await useEnvironment(page, { name: 'Production', baseUrl: service.baseUrl })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await answerSaveDialog(app, join(folder, 'list.csv'))
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Export deployments' })
  await dialog.getByRole('button', { name: 'Export…' }).click()
  await expect(dialog).toContainText('100 deployments')
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.slipway-.*\.part$/)])
  await slipway.kill()
  expect(await readdir(folder)).toHaveLength(1)

  await start()
  await expect.poll(() => readdir(folder)).toEqual([])
  await service.close()
})
