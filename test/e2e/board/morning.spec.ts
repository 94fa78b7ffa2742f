import type { Locator, Page } from '@playwright/test'
import { addEnvironment, call } from '../support/bridge'
import { alone, expect, test } from '../support/fixtures'
import { anyDeployment, changingService } from '../support/services/stub-service'

/** With more keys than this, it takes longer than a minute. */
const maxKeys = 35

const agents = ['archive', 'billing', 'chat', 'search']
const stages = ['Development', 'Staging', 'Production'] as const

const deployment = (stage: number, agent: string, commit: string, change: Record<string, unknown> = {}) => ({
  ...anyDeployment(100 * stage + agents.indexOf(agent)),
  name: `${agent}-${stages[stage]!.toLowerCase()}`,
  source_config: { repo_url: `https://git.example.com/acme/${agent}` },
  source_revision_config: { repo_ref: 'main', repo_commit_sha: commit.repeat(40) },
  latest_revision_id: `revision-${commit}`,
  active_revision_id: `revision-${commit}`,
  ...change,
})

async function synchronise(page: Page, environmentId: string): Promise<void> {
  const lastEnd = async () => {
    const outcome = await call(page, 'sync.state', { environmentId })
    return outcome.ok && outcome.value.progress === null ? outcome.value.last : null
  }
  const before = (await lastEnd())?.at
  await call(page, 'environments.select', { id: environmentId })
  await call(page, 'sync.start', { environmentId })
  await expect
    .poll(async () => {
      const last = await lastEnd()
      return last === null || last.at === before ? null : last.end
    })
    .toBe('complete')
}

const rowOf = (table: Locator, text: string): Locator => table.getByRole('row').filter({ hasText: text })

alone(
  'what changed overnight, what is stuck, what lags behind and what differs, with few keys',
  async ({ page, app }) => {
    const services = await Promise.all(
      stages.map((_, stage) => changingService(...agents.map((agent) => deployment(stage, agent, '1')))),
    )
    await call(page, 'sync.interval', { environmentId: 'built-in-cloud', minutes: 0 })
    // In the evening.
    await app.evaluate(() => {
      Date.now = () => new Date().getTime() - 14 * 3_600_000
    })
    const environments: string[] = []
    // More needs attention there than is drawn at first.
    await synchronise(page, 'built-in-cloud')
    for (const [stage, name] of stages.entries()) {
      const id = await addEnvironment(page, name, services[stage]!.stub.baseUrl)
      await call(page, 'sync.interval', { environmentId: id, minutes: 0 })
      await synchronise(page, id)
      environments.push(id)
    }
    // Overnight, the agent "billing" gets a new version everywhere but in production, where "chat" hangs.
    const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000).toISOString()
    await app.evaluate(() => {
      Date.now = () => new Date().getTime()
    })
    for (const stage of [0, 1])
      services[stage]!.state.all[1] = deployment(stage, 'billing', '2', { updated_at: threeHoursAgo })
    services[2]!.state.all[2] = deployment(2, 'chat', '1', {
      status: 'AWAITING_DATABASE',
      updated_at: threeHoursAgo,
    })
    for (const id of environments) await synchronise(page, id)

    let keys = 0
    const press = async (...pressed: string[]): Promise<void> => {
      for (const key of pressed) await page.keyboard.press(key)
      keys += pressed.length
    }
    const heading = (name: string): Locator => page.getByRole('heading', { name, level: 1 })
    const attention = page.getByRole('table', { name: 'Needs attention' })
    const changes = page.getByRole('table', { name: 'Changes' })

    await press('Control+Shift+O')
    await expect(heading('Overview')).toBeFocused()
    await expect(changes.getByRole('rowheader')).toHaveCount(3)
    // What is stuck, and since when. The operator's own deployments come before the sample's.
    await press('Tab', 'Enter')
    await expect(attention.getByRole('link', { name: 'chat-production' })).toBeFocused()
    await expect(rowOf(attention, 'chat-production')).toContainText(/Production.*Awaiting database.*3h/s)
    // What changed, and where.
    await press('End', 'Tab')
    await expect(
      attention.locator('..').getByRole('button', { name: /^Show \d+( of \d+)? more$/ }),
    ).toBeFocused()
    await press('Tab')
    await expect(
      page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio', { checked: true }),
    ).toBeFocused()
    await press('Tab')
    await expect(changes.getByRole('link').first()).toBeFocused()
    await expect(rowOf(changes, 'billing-development')).toContainText('Development')
    await expect(rowOf(changes, 'billing-staging')).toContainText('Staging')
    await expect(rowOf(changes, 'chat-production')).toContainText('Ready → Awaiting database')
    await press('Home', 'Enter')
    await expect(heading('chat-production')).toBeFocused()
    await press('Escape')
    await expect(changes.getByRole('link', { name: 'chat-production' })).toBeFocused()

    // Where the newest version doesn't run yet.
    await press('Control+Shift+B')
    await expect(heading('Board')).toBeFocused()
    const grid = page.getByRole('grid', { name: 'Board' })
    const cells = rowOf(grid, 'acme/billing').getByRole('gridcell')
    await expect(cells).toHaveText([/^main · 2222222/, /^main · 2222222/, /^main · 1111111/])
    await expect(rowOf(grid, 'acme/billing').getByRole('rowheader')).toContainText('Versions differ')
    await press('ArrowDown', 'j')
    await expect(rowOf(grid, 'acme/billing').getByRole('rowheader')).toBeFocused()
    // What differs.
    await press('ArrowRight', 'Space', 'End', 'Space', 'Control+d')
    await expect(heading('Compare')).toBeFocused()
    const differences = page.getByRole('table', { name: 'Differences' })
    await expect(rowOf(differences, 'Commit')).toContainText(
      new RegExp(`${'2'.repeat(40)}\\s*${'1'.repeat(40)}`),
    )
    await press('Escape')
    await expect(cells.last()).toBeFocused()
    await expect(grid.locator('[aria-selected="true"]')).toHaveCount(2)
    await press('Escape')
    await expect(grid.locator('[aria-selected="true"]')).toHaveCount(0)
    expect(keys).toBeLessThanOrEqual(maxKeys)
    await Promise.all(services.map(({ stub }) => stub.close()))
  },
)

test('the board is as it was left, at its place, and Tab reaches its rows at once', async ({ page }) => {
  const all = Array.from({ length: 60 }, (_, index) => ({
    ...anyDeployment(index),
    name: `agent-${index}`,
    source_config: { repo_url: `https://git.example.com/acme/agent-${String(index).padStart(2, '0')}` },
    source_revision_config: { repo_ref: 'main', repo_commit_sha: '1'.repeat(40) },
  }))
  const { state, stub } = await changingService(...all)
  const environmentId = await addEnvironment(page, 'Development', stub.baseUrl)
  await call(page, 'sync.interval', { environmentId, minutes: 0 })
  await synchronise(page, environmentId)
  await page.keyboard.press('Control+Shift+B')
  const grid = page.getByRole('grid', { name: 'Board' })
  await expect(grid.getByRole('rowheader').first()).toContainText('acme/agent-00')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the board' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(grid.getByRole('rowheader').first()).toBeFocused()
  await page.keyboard.press('ArrowRight')
  for (let row = 1; row < 50; row += 1) await page.keyboard.press('j')
  const cell = rowOf(grid, 'acme/agent-49').getByRole('gridcell')
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
  await expect(rowOf(grid, 'acme/agent-07').getByRole('rowheader')).toBeFocused()
  await stub.close()
})
