import type { Page } from '@playwright/test'
import { addEnvironment, call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { askDirectly, deploymentsTable, openSection } from '../../support/page/deployments'
import { anyDeployment, json, StubService } from '../../support/services/stub-service'

const tabs = (page: Page) => page.getByRole('tablist', { name: 'Sections' }).getByRole('tab')

/** Opens a deployment of the sandbox whose latest build failed. */
async function openFailing(page: Page): Promise<void> {
  const state = await call(page, 'app.state', {})
  if (!state.ok) throw new Error(state.failure.message)
  const environmentId = state.value.currentEnvironmentId
  for (const { id, latest_revision_id, active_revision_id } of await askDirectly(page)) {
    if (latest_revision_id === active_revision_id) continue
    const revisions = await call(page, 'life.revisions', { environmentId, id, offset: 0, limit: 1 })
    if (!revisions.ok || revisions.value.revisions[0]?.status !== 'BUILD_FAILED') continue
    await page.evaluate((to) => (location.hash = `#/deployments/${to}`), id)
    await expect(page.getByRole('tab', { name: 'Revisions' })).toBeVisible()
    return
  }
  throw new Error('The sample has no deployment whose latest build failed.')
}

test('a failing deployment shows which revision failed and the last lines of its build log', async ({
  page,
}) => {
  await openFailing(page)
  await expect(page.getByText('This service offers: list, create, revisions')).toBeVisible()
  const failed = page.getByRole('status').filter({ hasText: 'Build failed' })
  await expect(failed.getByRole('button', { name: 'Show its log' })).toBeVisible()
  await expect(page.getByText('rolling out')).toHaveCount(0)
  await openSection(page, 'Revisions')
  const revisions = page.getByRole('table', { name: 'Revisions' })
  await expect(revisions.getByRole('row').nth(1)).toContainText('Build failed')
  await expect(revisions.getByText('running')).toHaveCount(1)

  const boxes = revisions.getByRole('checkbox')
  await boxes.nth(0).check()
  await boxes.nth(1).check()
  await expect(
    page.getByRole('table', { name: 'Differences' }).or(page.getByText('Both have the same configuration.')),
  ).toBeVisible()

  await revisions.getByRole('row').nth(1).getByRole('button', { name: 'Show log' }).click()
  const logs = page.getByRole('region', { name: 'Logs' })
  await expect(logs.getByRole('radio', { name: 'Build' })).toBeChecked()
  const lines = logs.getByRole('log', { name: 'Lines' })
  await expect(lines).toContainText('ERROR')
  await logs.getByRole('textbox', { name: 'Search log' }).fill('no line has this')
  await expect(logs.getByRole('status')).toContainText(/^0 of \d+ lines/)
  await logs.getByRole('textbox', { name: 'Search log' }).fill('')
  await logs.getByRole('combobox', { name: 'Level' }).click()
  await page.getByRole('option', { name: 'ERROR' }).click()
  await expect(lines).not.toContainText('INFO')
})

test('the Overview says which build failed and why, and three keys lead to the end of its log', async ({
  page,
}) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  const rows = page.getByRole('table', { name: 'Needs attention' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('Build failed: ')
  for (const key of ['Tab', 'Enter', 'Enter']) await page.keyboard.press(key)
  await expect(page.getByRole('log', { name: 'Lines' })).toContainText('ERROR')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
})

test('a service with the three calls alone shows what it offers, and nothing more', async ({
  slipway,
  page,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const asked: string[] = []
  const service = await StubService.start((query, response, headers) => {
    if (query.size > 1 || query.has('deployment_ids')) {
      json({ resources: [anyDeployment(1)], offset: 1 })(query, response, headers)
      return
    }
    asked.push(response.req.url ?? '')
    json({ detail: 'Not Found' }, 404)(query, response, headers)
  })
  try {
    await addEnvironment(page, 'Plain', service.baseUrl)
    await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
    await expect(page.getByText('This service offers: list, create (')).toBeVisible()
    expect(await tabs(page).allTextContents()).toEqual(['Overview', 'History', 'Resources', 'JSON'])
    expect(asked.filter((url) => /openapi|revisions/.test(url))).toHaveLength(2)
  } finally {
    await service.close()
  }
})

/** A service whose log has many lines, a page of a thousand at a time, newest first. */
function longLog(count: number) {
  return StubService.start((query, response, headers) => {
    const url = response.req.url ?? ''
    if (url.startsWith('/openapi.json')) {
      const good = { responses: { 200: {} } }
      const paths = {
        '/v2/deployments/{deployment_id}/revisions': { get: good },
        '/v2/deployment-logs': { get: good },
      }
      return json({ openapi: '3.1.0', paths })(query, response, headers)
    }
    if (url.startsWith('/v2/deployment-logs')) {
      const from = Number(query.get('cursor') ?? count)
      const items = Array.from({ length: Math.min(1_000, from) }, (_, index) => {
        const number = from - index
        const timestamp = 1_795_860_000_000 + number
        return {
          id: `l${number}`,
          timestamp,
          level: 'INFO',
          message: `line ${number} \u001b[32mgreen\u001b[0m`,
        }
      })
      return json({ items, next_cursor: from > 1_000 ? String(from - 1_000) : null })(
        query,
        response,
        headers,
      )
    }
    if (url.includes('/revisions')) {
      const revision = { id: 'r1', status: 'DEPLOYED', created_at: '2026-11-01T00:00:00Z' }
      return json({ resources: [revision], offset: 1 })(query, response, headers)
    }
    return json({ resources: [{ ...anyDeployment(1), latest_revision_id: 'r1' }], offset: 1 })(
      query,
      response,
      headers,
    )
  })
}

test('a log opens at its last lines, draws few of many, and older ones are added above', async ({ page }) => {
  const service = await longLog(3_500)
  try {
    await addEnvironment(page, 'Logging', service.baseUrl)
    await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
    await openSection(page, 'Logs')
    const logs = page.getByRole('region', { name: 'Logs' })
    const lines = logs.getByRole('log', { name: 'Lines' })
    await expect(lines).toContainText('line 3500 green')
    // The line at the top keeps its place.
    await lines.evaluate((scroller) => scroller.scrollTo({ top: 0 }))
    for (const total of ['2,000', '3,000', '3,500']) {
      await logs.getByRole('button', { name: 'Show older lines' }).click()
      await expect(logs.getByRole('status')).toContainText(`${total} of ${total} lines`)
      await expect(lines.getByText('line 2501 green')).toBeInViewport()
    }
    await expect(logs.getByRole('button', { name: 'Show older lines' })).toHaveCount(0)
    expect(await lines.locator('.line').count()).toBeLessThan(150)
    await logs.getByRole('textbox', { name: 'Search log' }).fill('LINE 12 green')
    await expect(lines).toContainText('line 12 green')
  } finally {
    await service.close()
  }
})
