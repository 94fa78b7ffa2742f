import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleIntegrationId } from '@contract'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { addEnvironment, call, secretHeader } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, json, StubService } from '../support/services/stub-service'

/** Makes the system's dialogs choose a file. */
function answerDialogs(app: ElectronApplication, filePath: string): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path })
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, filePath)
}

const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Environments' })
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })

const names = async (page: Page): Promise<string[]> => {
  const state = await call(page, 'app.state', {})
  if (!state.ok) throw new Error(state.failure.message)
  return state.value.environments.slice(2).map(({ name }) => name)
}

test('environments are exported without secrets, and each one in a file is reviewed before it is added', async ({
  slipway,
  page,
  app,
  userData,
}) => {
  test.slow()
  let requests = 0
  const service = await StubService.start((query, response, headers) => {
    requests += 1
    json({ resources: [anyDeployment(1)], offset: 0 })(query, response, headers)
  })
  await addEnvironment(page, 'Production', 'http://127.0.0.1:9')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()

  const path = join(userData, 'them.json')
  await answerDialogs(app, path)
  await rowOf(page, 'Production').getByRole('button', { name: 'Export' }).click()
  await expect(page.getByText(`Exported one environment without secrets to ${path}.`)).toBeVisible()
  const text = await readFile(path, 'utf8')
  expect(text).toContain('X-Api-Key')
  expect(text).not.toContain(secretHeader)
  const file = JSON.parse(text) as { environments: { name: string; baseUrl: string }[] }
  const [production] = file.environments
  const more = [
    {
      ...production,
      name: 'Staging',
      baseUrl: service.baseUrl,
      integrations: [sampleIntegrationId],
      nicknames: { [sampleIntegrationId]: 'Team forge' },
    },
    { ...production, name: 'Third' },
  ]
  await writeFile(path, JSON.stringify({ ...file, environments: [production, ...more] }))

  await page.getByRole('button', { name: 'Import' }).click()
  const list = page.getByRole('dialog', { name: 'Import environments' })
  await expect(list).toContainText('3 environments')
  await expect(list.getByRole('listitem').first()).toContainText(
    'You already have an environment of this name',
  )
  await inspectScreen(slipway, 'environments-import')

  const environment = page.getByRole('dialog', { name: 'Environment', exact: true })
  await list.getByRole('listitem').nth(0).getByRole('button', { name: 'Review' }).click()
  await expect(environment.getByRole('note')).toContainText(
    'You already have an environment named Production',
  )
  await environment.getByLabel('Header value').fill('key')
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(environment).toContainText('Another environment has this name')
  await environment.getByRole('button', { name: 'Cancel' }).click()
  await environment.getByRole('button', { name: 'Discard changes' }).click()
  await expect(list).toBeVisible()

  await list.getByRole('listitem').nth(1).getByRole('button', { name: 'Review' }).click()
  await expect(environment.getByRole('note')).toContainText('Check the base URL')
  await expect(environment.getByRole('textbox', { name: 'Nickname of integration 1' })).toHaveValue(
    'Team forge',
  )
  await inspectScreen(slipway, 'environments-import-review')
  await slipway.resize(900, 600)
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(environment).toContainText('Enter the value.')
  await environment.getByLabel('Header value').fill('key')
  await environment.getByRole('button', { name: 'Save' }).click()
  await expect(list.getByRole('listitem').nth(1)).toContainText('Added')
  await list.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(list).toBeHidden()

  expect(await names(page), 'nothing is added unseen').toEqual(['Production', 'Staging'])
  expect(requests, 'nothing is contacted').toBe(0)
  await expect(page.getByRole('button', { name: 'Environment: Production' })).toBeVisible()

  await writeFile(path, text.replace('"X-Api-Key"', '{ "name": "X-Api-Key", "value": "key" }'))
  await page.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('alert')).toContainText("them.json isn't a list of environments.")
  await inspectScreen(slipway, 'environments-import-refused')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})
