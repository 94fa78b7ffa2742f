import type { Locator, Page } from '@playwright/test'
import { addEnvironment, call, select, synchronise, synchroniseNever } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, changingService, listOf, StubService } from '../support/services/stub-service'

/** A deployment of a repository at a commit. */
const deployment = (
  index: number,
  name: string,
  repository: string,
  commit: string,
): Record<string, unknown> => ({
  ...anyDeployment(index),
  name,
  source_config: { repo_url: `https://github.com/acme/${repository}` },
  source_revision_config: { repo_ref: 'main', repo_commit_sha: commit },
})

const development = [
  deployment(1, 'support-dev', 'support', '1111111aaaa'),
  deployment(2, 'billing-dev', 'billing', '2222222aaaa'),
  deployment(3, 'chat-dev', 'chat-backend', '3333333aaaa'),
]
const production = [
  {
    ...deployment(11, 'support-prod', 'support', '9999999aaaa'),
    source_config: { repo_url: 'ssh://git@ssh.github.com:443/Acme/support.git' },
  },
  deployment(12, 'billing-prod', 'billing', '2222222aaaa'),
  deployment(13, 'chat-prod', 'chat', '3333333aaaa'),
  deployment(14, 'billing-copy-prod', 'billing', '2222222aaaa'),
]

/** Adds an environment whose service has these deployments, and synchronises it. */
async function synchronised(
  page: Page,
  name: string,
  deployments: Record<string, unknown>[],
): Promise<string> {
  const { stub } = await changingService(...deployments)
  const environmentId = await addEnvironment(page, name, stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, environmentId)
  return environmentId
}

const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Board' })
const row = (page: Page, agent: string): Locator =>
  grid(page)
    .getByRole('row')
    .filter({ hasText: `${agent}Same` })
/** An agent's cell in a column, by number. The agents' own column is the first. */
const cell = (page: Page, agent: string, column: number): Locator =>
  row(page, agent).locator(`[role=gridcell][aria-colindex="${column}"]`)
const agents = (page: Page): Promise<string[]> => grid(page).locator('.board-name').allTextContents()

async function openBoard(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Board' }).click()
  await expect(page.getByRole('heading', { name: 'Board', level: 1 })).toBeVisible()
}

test('shows agents by environments from their caches, and opens a cell in its environment', async ({
  slipway,
  page,
}) => {
  await synchronised(page, 'Production', production)
  await synchronised(page, 'Development', development)
  let requests = 0
  const silent = await StubService.start((query, response, headers) => {
    requests += 1
    listOf(() => [])(query, response, headers)
  })
  const never = await addEnvironment(page, 'Never synchronised', silent.baseUrl)
  await call(page, 'sync.interval', { environmentId: never, minutes: 0 })
  await select(page, never)
  await openBoard(page)

  await expect(grid(page).getByRole('columnheader')).toHaveText([
    'Agent',
    /^Development.*Synced just now$/s,
    /^Production.*Synced just now$/s,
    /^Never synchronised.*Never synced$/s,
  ])
  await expect
    .poll(() => agents(page))
    .toEqual(['acme/billing', 'acme/chat', 'acme/chat-backend', 'acme/support'])
  await expect(cell(page, 'acme/support', 2)).toHaveText(/^main · 1111111.*Ready.*support-dev$/s)
  await expect(cell(page, 'acme/support', 4)).toHaveText('Never synced')
  await expect(cell(page, 'acme/chat', 2)).toHaveText('No deployment of this agent')
  await expect(cell(page, 'acme/billing', 3)).toContainText('billing-copy-prod')
  await expect(cell(page, 'acme/billing', 3)).toContainText('billing-prod')
  await expect(row(page, 'acme/support').getByRole('rowheader')).toContainText('Versions differ')
  await expect(row(page, 'acme/billing').getByRole('rowheader')).not.toContainText('differ')
  await inspectScreen(slipway, 'board')

  await cell(page, 'acme/support', 2).focus()
  await page.keyboard.press(' ')
  await cell(page, 'acme/support', 3).click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Differences' })).toContainText('9999999aaaa')
  await openBoard(page)

  await page.getByRole('switch', { name: 'Only rows that differ' }).click()
  await expect.poll(() => agents(page)).toEqual(['acme/chat', 'acme/chat-backend', 'acme/support'])
  await page.getByRole('textbox', { name: 'Search agents' }).fill('support')
  await expect.poll(() => agents(page)).toEqual(['acme/support'])

  const before = requests
  await grid(page).getByRole('columnheader', { name: 'Agent' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'acme/support').getByRole('rowheader')).toBeFocused()
  await page.keyboard.press('End')
  await expect(cell(page, 'acme/support', 4)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  expect(requests).toBe(before)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'support-prod', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Environment: Production' })).toBeVisible()
  await silent.close()
})

test('moves a deployment to another agent by hand, undoes it, and remembers it and pinned rows', async ({
  page,
}) => {
  await synchronised(page, 'Development', development)
  await synchronised(page, 'Production', production)
  await openBoard(page)
  await cell(page, 'acme/chat-backend', 2).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Move to another agent…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move to another agent' })
  await dialog.getByRole('textbox', { name: 'Find an agent' }).fill('chat-prod')
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
  await dialog.getByRole('button', { name: 'Choose' }).click()
  await expect.poll(() => agents(page)).toEqual(['acme/billing', 'acme/chat', 'acme/support'])
  await expect(cell(page, 'acme/chat', 2)).toContainText('by hand')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => agents(page)).toContain('acme/chat-backend')

  await cell(page, 'acme/chat-backend', 2).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Make an agent of its own' }).click()
  await expect.poll(() => agents(page)).toContain('chat')
  await row(page, 'acme/support').getByRole('rowheader').click()
  await page.getByRole('menuitem', { name: 'Pin row to the top' }).click()
  await expect.poll(async () => (await agents(page))[0]).toBe('acme/support')

  await page.reload()
  await expect(page.getByRole('heading', { name: 'Board', level: 1 })).toBeVisible()
  await expect.poll(() => agents(page)).toEqual(['acme/support', 'acme/billing', 'acme/chat', 'chat'])
})

test('draws only the visible part of many environments, and survives the removal of one', async ({
  page,
}) => {
  const odd = [
    deployment(1, '\u202eevil', 'odd', '1111111aaaa'),
    deployment(2, 'n'.repeat(1_000_000), 'long', '1111111aaaa'),
  ]
  // What is cached comes first, however production-like.
  const first = await synchronised(page, 'Production', odd)
  for (let index = 0; index < 39; index += 1) {
    const saved = await call(page, 'environments.save', {
      id: null,
      name: `Customer ${index}`,
      baseUrl: `https://customer-${index}.example.com`,
      mode: 'cloud',
      colour: 'teal',
      protected: false,
      headers: [],
      integrations: [],
    })
    expect(saved.ok).toBe(true)
  }
  await openBoard(page)
  await expect(grid(page)).toHaveAttribute('aria-colcount', '41')
  await expect(row(page, 'acme/odd').getByRole('gridcell').first()).toContainText('⟨U+202E⟩evil')
  await expect(grid(page).getByRole('columnheader').nth(1)).toContainText('Production')
  expect(await grid(page).getByRole('columnheader').count()).toBeLessThan(20)
  await grid(page).getByRole('columnheader', { name: 'Agent' }).focus()
  await page.keyboard.press('Control+End')
  await expect(cell(page, 'acme/odd', 41)).toBeFocused()
  expect(await grid(page).getByRole('gridcell').count()).toBeLessThan(60)
  await page.keyboard.press('Home')

  expect(await call(page, 'environments.remove', { id: first, confirmedName: null })).toMatchObject({
    ok: true,
  })
  await expect(page.getByText('No environment has been synced')).toBeVisible()
})

test('the board is as it was left, at its place, and Tab reaches its rows at once', async ({ page }) => {
  const all = Array.from({ length: 60 }, (_, index) => ({
    ...anyDeployment(index),
    name: `agent-${index}`,
    source_config: { repo_url: `https://git.example.com/acme/agent-${String(index).padStart(2, '0')}` },
    source_revision_config: { repo_ref: 'main', repo_commit_sha: '1'.repeat(40) },
  }))
  const { state, stub } = await changingService(...all)
  const environmentId = await addEnvironment(page, 'Development', stub.baseUrl)
  await synchroniseNever(page)
  await synchronise(page, environmentId)
  await page.keyboard.press('Control+Shift+B')
  await expect(grid(page).getByRole('rowheader').first()).toContainText('acme/agent-00')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the board' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(grid(page).getByRole('rowheader').first()).toBeFocused()
  await page.keyboard.press('ArrowRight')
  for (let row = 1; row < 50; row += 1) await page.keyboard.press('j')
  const cell = grid(page).getByRole('row').filter({ hasText: 'acme/agent-49' }).getByRole('gridcell')
  await expect(cell).toBeFocused()
  await page.keyboard.press('Space')
  const before = await cell.boundingBox()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'agent-49', level: 1 })).toBeFocused()
  // Meanwhile, the row's content changes, and another row comes before it.
  state.all = [
    {
      ...all[0],
      ...anyDeployment(200),
      name: 'first',
      source_config: { repo_url: 'https://git.example.com/acme/a' },
    },
    ...all.map((one) => ({ ...one, status: 'UNUSED', updated_at: '2026-11-20T00:00:00Z' })),
  ]
  await synchronise(page, environmentId)
  await page.keyboard.press('Escape')
  await expect(cell).toContainText('Unused')
  await expect(cell).toBeFocused()
  await expect(cell).toHaveAttribute('aria-selected', 'true')
  expect((await cell.boundingBox())?.y).toBe(before?.y)

  // Enter goes from the search to the rows it found.
  await page.keyboard.press('/')
  await page.keyboard.type('agent-07')
  await page.keyboard.press('Enter')
  await expect(
    grid(page).getByRole('row').filter({ hasText: 'acme/agent-07' }).getByRole('rowheader'),
  ).toBeFocused()
  await stub.close()
})
