import { sampleIntegrationId } from '@contract'
import { type Locator, type Page } from '@playwright/test'
import { create, deploymentsNamed, fill, goTo, press, switchTo, textbox } from '../support/page/creation'
import { expect, test } from '../support/fixtures'
import { StubService, cloud, json, useEnvironment, useServices } from '../support/services/stub-service'

const table = (page: Page): Locator => page.getByRole('table', { name: 'Repositories' })

/** The texts of a column, without the header. */
async function column(page: Page, index: number): Promise<string[]> {
  // Rows out of view are drawn slightly later.
  await expect(table(page)).toHaveAttribute('aria-busy', 'false')
  const rows = table(page).locator('tbody tr')
  return rows.evaluateAll((all, at) => all.map((row) => row.children[at]?.textContent?.trim() ?? ''), index)
}

async function list(page: Page, integrationId: string): Promise<void> {
  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(integrationId)
  await press(page, 'List repositories')
}

test('lists, searches, sorts, deploys one, and keeps the previous draft', async ({ page, services }) => {
  await useServices(page, services)

  await list(page, sampleIntegrationId)
  await expect(table(page).getByRole('button', { name: 'Deploy' })).not.toHaveCount(0)
  const all = await column(page, 0)
  expect(all.length).toBeGreaterThan(20)
  expect(new Set(all).size).toBeGreaterThan(20)

  await table(page).getByRole('button', { name: 'Name' }).click()
  const ordered = [...all].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  expect(await column(page, 0)).toEqual(ordered)
  await expect(table(page).getByRole('columnheader', { name: 'Name' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  )
  await table(page).getByRole('button', { name: 'Name' }).click()
  expect(await column(page, 0)).toEqual(ordered.reverse())

  await textbox(page, 'Search repositories').fill('no such repository')
  await expect(page.getByText('No repository matches')).toBeVisible()
  await press(page, 'Show all repositories')
  await textbox(page, 'Search repositories').fill('northwind contract')
  await expect(table(page).getByRole('button', { name: 'Deploy' })).toHaveCount(1)

  const [name, owner, url, branch] = await Promise.all([0, 1, 2, 3].map((index) => column(page, index)))
  const deploy = table(page).getByRole('button', { name: 'Deploy' })
  await expect(deploy).toHaveAttribute('aria-description', `${owner?.[0]}/${name?.[0]}`)
  await deploy.click()
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Repository' })).toBeChecked()
  await expect(textbox(page, 'Integration ID')).toHaveValue(sampleIntegrationId)
  await expect(textbox(page, 'Repository URL')).toHaveValue(url?.[0] ?? '')
  await expect(textbox(page, 'Git ref')).toHaveValue(branch?.[0] ?? '')
  await fill(page, { Name: 'from-the-listing', 'Config path': 'agent.json' })
  await create(page, cloud)
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('from-the-listing')
  expect(await deploymentsNamed(page, 'from-the-listing')).toMatchObject([
    {
      source: 'repohost',
      source_config: { integration_id: sampleIntegrationId, repo_url: url?.[0] },
      source_revision_config: { repo_ref: branch?.[0] },
    },
  ])

  // The list and the integration are still there.
  await goTo(page, 'Repositories')
  await expect(table(page).getByRole('button', { name: 'Deploy' })).toHaveCount(1)

  await goTo(page, 'New deployment')
  await fill(page, { Name: 'begun-before' })
  await list(page, sampleIntegrationId)
  await table(page).getByRole('button', { name: 'Deploy' }).first().click()
  await expect(textbox(page, 'Name')).toHaveValue('')
  const drafts = page.getByRole('combobox', { name: 'Draft' })
  await drafts.click()
  await page.getByRole('option', { name: 'begun-before' }).click()
  await expect(textbox(page, 'Name')).toHaveValue('begun-before')
})

test('offers the integrations that deployments name, shows failures, and deploys nothing where that is not possible', async ({
  page,
}) => {
  const deployments = page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader')
  await expect(deployments).not.toHaveCount(0, { timeout: 30_000 })
  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).click()
  await page.getByRole('option', { name: sampleIntegrationId }).click()
  await press(page, 'List repositories')
  await expect(table(page).getByRole('button', { name: 'Deploy' })).not.toHaveCount(0)

  await list(page, 'not-an-identifier')
  await expect(page.getByText('Enter a valid ID (UUID).')).toBeVisible()

  const stub = await StubService.start(json({ detail: 'integration not connected' }, 404))
  await useEnvironment(page, { baseUrl: stub.baseUrl })
  await expect(page.getByRole('combobox', { name: 'Integration ID' })).toHaveValue('')
  await list(page, sampleIntegrationId)
  await expect(page.getByRole('alert')).toContainText('integration not connected')
  stub.answer = json([])
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('This integration has no repositories')).toBeVisible()
  stub.answer = json([{ id: 1, name: 'bare' }, { id: 2 }])
  await press(page, 'List repositories')
  await expect(table(page).getByRole('rowheader')).toHaveText(['bare'])
  await expect(page.getByText("1 of the repositories couldn't be read")).toBeVisible()
  await stub.close()

  await switchTo(page, 'Sandbox (self-hosted)')
  await list(page, sampleIntegrationId)
  const deploy = table(page).getByRole('button', { name: 'Deploy' }).first()
  await expect(deploy).toBeDisabled()
  await expect(deploy).toHaveAccessibleDescription(/available only in cloud environments/)
  await expect(page.getByText(/You can view the repositories, but not deploy them/)).toBeVisible()
})
