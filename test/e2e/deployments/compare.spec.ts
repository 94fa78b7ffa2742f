import type { ElectronApplication, Page } from '@playwright/test'
import { addEnvironment, select } from '../support/bridge'
import { choose, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, changingService } from '../support/services/stub-service'

const differences = (page: Page) => page.getByRole('table', { name: 'Differences' })
const rowOf = (page: Page, field: string) =>
  differences(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: field, exact: true }) })
const sideOf = (page: Page, label: 'Left' | 'Right') => page.getByRole('region', { name: `${label} side` })
const clipboard = (app: ElectronApplication) => app.evaluate(({ clipboard }) => clipboard.readText())

const sidecar = (name: string, image: string) => ({ name, image })

const first = {
  ...anyDeployment(1),
  source_config: {
    repo_url: 'https://git.example.com/team/app',
    integration_id: '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10',
    resource_spec: { memory_mb: 512, sidecars: [sidecar('proxy', 'proxy:1'), sidecar('logs', 'logs:1')] },
  },
  secrets: [
    { name: 'SHARED', value: 'hunter2-left' },
    { name: 'OWN', value: 'hunter2-left' },
  ],
}
const second = {
  ...anyDeployment(2),
  source_config: {
    repo_url: 'https://git.example.com/team/app',
    integration_id: '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d11',
    resource_spec: { memory_mb: 1024, sidecars: [sidecar('logs', 'logs:2'), sidecar('proxy', 'proxy:1')] },
  },
  secrets: [{ name: 'SHARED', value: 'hunter2-right' }],
}

test('two selected rows, or the draft in the form, are compared, without noise, ignored fields and values of secrets', async ({
  slipway,
  app,
  page,
}) => {
  await test.step('two selected rows are compared by a key, without noise and values of secrets', async () => {
    const { stub } = await changingService(first, second)
    await addEnvironment(page, 'Production', stub.baseUrl)
    const rows = deploymentsTable(page)
    await rows.getByRole('checkbox', { name: 'stub-1' }).check()
    await rows.getByRole('checkbox', { name: 'stub-2' }).check()
    await page.keyboard.press('Control+d')

    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeFocused()
    await expect(page.getByRole('combobox', { name: 'Left' })).toHaveValue('stub-1 · Production')
    await expect(page.getByRole('combobox', { name: 'Left' })).toHaveCSS('text-overflow', 'ellipsis')
    await expect(page.getByRole('combobox', { name: 'Right' })).toHaveValue('stub-2 · Production')
    for (const label of ['Left', 'Right'] as const)
      await expect(sideOf(page, label)).toContainText('Production')
    await expect(rowOf(page, 'Memory')).toContainText(/512\s*1024\s*Differs/)
    await expect(rowOf(page, 'Sidecar logs, Image')).toContainText('Differs')
    await expect(rowOf(page, 'Sidecar proxy, Image')).toHaveCount(0)
    await expect(rowOf(page, 'Secret OWN')).toContainText('Only left')
    await expect(rowOf(page, 'Integration ID')).toContainText('Differs')
    await expect(rowOf(page, 'ID')).toHaveCount(0)
    await inspectScreen(slipway, 'compare')

    await page.getByRole('button', { name: 'Copy as text' }).click()
    await expect.poll(() => clipboard(app)).toContain('  Memory: differs\n    Left: 512\n    Right: 1024\n')
    expect(await clipboard(app)).toMatch(/^Left: stub-1 \(Production\)\nRight: stub-2 \(Production\)\n/)
    expect(await clipboard(app)).not.toContain('hunter2')

    await page.getByRole('switch', { name: 'Show as text' }).click()
    const left = page.getByRole('textbox', { name: 'Left: stub-1 (Production)' })
    const right = page.getByRole('textbox', { name: 'Right: stub-2 (Production)' })
    await expect(left.locator('.cm-changedLine', { hasText: '"memory_mb": 512' })).toBeVisible()
    await expect(right.locator('.cm-changedLine', { hasText: '"memory_mb": 1024' })).toBeVisible()
    await expect(left).toContainText('"name": "OWN"')
    await expect(left).not.toContainText(anyDeployment(1).id as string)
    // Sidecars are sorted by name on both sides.
    await expect(left.locator('.cm-changedLine', { hasText: 'proxy:1' })).toHaveCount(0)
    expect(await page.content()).not.toContain('hunter2')
    await page.getByRole('switch', { name: 'Show as text' }).click()

    await rowOf(page, 'Memory').hover()
    await page.getByRole('button', { name: 'Ignore Memory' }).click()
    await expect(rowOf(page, 'Memory')).toHaveCount(0)
    await page.getByRole('button', { name: '1 ignored field' }).click()
    const dialog = page.getByRole('dialog', { name: 'Ignored fields' })
    await dialog.getByRole('button', { name: 'Stop ignoring Memory' }).click()
    await expect(dialog).toContainText('No field is ignored.')
    await page.keyboard.press('Escape')
    await expect(rowOf(page, 'Memory')).toContainText('Differs')
    await page.getByRole('switch', { name: 'Show everything' }).click()
    await expect(rowOf(page, 'ID')).toContainText('Differs')
    await page.getByRole('switch', { name: 'Only differences' }).click()
    await expect(rowOf(page, 'Secret SHARED')).toContainText('Same')
    expect(await page.content()).not.toContain('hunter2')
    await stub.close()
  })
  await test.step('the draft in the form is one side, and is unchanged when the operator returns to it', async () => {
    const { stub } = await changingService(first, second)
    await addEnvironment(page, 'Pre-production', stub.baseUrl)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await expect(deploymentsTable(page).getByRole('link', { name: 'stub-1' })).toBeVisible()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'New deployment' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('stub-next')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Compare with…' }).click()
    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeFocused()
    await expect(page.getByRole('combobox', { name: 'Left' })).toHaveValue('Draft stub-next · Pre-production')
    await choose(page, 'Right', 'stub-1 · Pre-production')
    await expect(rowOf(page, 'Name')).toContainText(/stub-next\s*stub-1\s*Differs/)
    await page.keyboard.press('Alt+ArrowLeft')
    await expect(name).toHaveValue('stub-next')
    await page.keyboard.press('Control+d')
    await expect(page.getByRole('combobox', { name: 'Left' })).toHaveValue('Draft stub-next · Pre-production')
    await stub.close()
  })
})

test("another environment's deployment comes from its cache alone, under its own name", async ({
  slipway,
  page,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const staging = await changingService({ ...first, name: 'agent', status: 'UNUSED' })
  const production = await changingService({ ...second, name: 'agent' })
  const stagingId = await addEnvironment(page, 'Staging', staging.stub.baseUrl)
  await expect(deploymentsTable(page).getByRole('link', { name: 'agent' })).toBeVisible()
  await addEnvironment(page, 'Production', production.stub.baseUrl)
  await expect(deploymentsTable(page).getByRole('link', { name: 'agent' })).toBeVisible()
  let requests = 0
  const { answer } = staging.stub
  staging.stub.answer = (...request) => {
    requests += 1
    answer(...request)
  }

  await page.getByRole('link', { name: 'agent' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('combobox', { name: 'Left' })).toHaveValue('agent · Production')
  await choose(page, 'Right', 'agent · Staging')
  await expect(sideOf(page, 'Left')).toContainText('From the service')
  await expect(sideOf(page, 'Right')).toContainText('Staging')
  await expect(sideOf(page, 'Right')).toContainText('From the cache')
  await expect(rowOf(page, 'Status')).toContainText(/READY\s*UNUSED/)
  // An integration has a meaning in its own environment only.
  await expect(rowOf(page, 'Integration ID')).toHaveCount(0)
  expect(requests).toBe(0)

  await page.getByRole('button', { name: 'Swap sides' }).click()
  await expect(rowOf(page, 'Status')).toContainText(/UNUSED\s*READY/)
  await expect(sideOf(page, 'Left')).toContainText('Staging')

  // Once its environment is the current one, its service is asked.
  await select(page, stagingId)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(sideOf(page, 'Left')).toContainText('From the service')
  await expect(sideOf(page, 'Right')).toContainText('From the cache')
  await expect(sideOf(page, 'Right')).toContainText('Production')

  // If that answers with an error, the cached copy is compared, and the error is shown.
  staging.stub.answer = (_query, response) => void response.writeHead(500).end()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(sideOf(page, 'Left')).toContainText('From the cache')
  await expect(sideOf(page, 'Left').getByRole('alert')).toContainText('(500)')
  await expect(rowOf(page, 'Status')).toContainText(/UNUSED\s*READY/)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  const staged = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name: /Staging/ })
  await expect(staged).toContainText('Answers errors')
  await staging.stub.close()
  await production.stub.close()
})
