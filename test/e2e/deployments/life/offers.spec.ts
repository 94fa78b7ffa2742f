import { call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { openSection } from '../../support/page/deployments'
import { openAdvanced } from '../../support/page/dialogs'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../../support/services/stub-service'

test('what a service offers is kept over a restart, switched on by hand, and off where the service lacks it', async ({
  start,
}) => {
  const deployment = { ...anyDeployment(1), latest_revision_id: 'r1', active_revision_id: 'r1' }
  const asked: string[] = []
  const service = await StubService.start((query, response, headers) => {
    const { method, url = '' } = response.req
    if (/openapi|revisions\?limit=1$/.test(url)) asked.push(url)
    if (method === 'POST') return json({ detail: 'Not here.' }, 405)(query, response, headers)
    if (!url.includes('/revisions')) return listOf(() => [deployment])(query, response, headers)
    if (url.includes('/logs')) return json({ detail: 'Not Found' }, 404)(query, response, headers)
    const revision = { id: 'r1', status: 'DEPLOYED', created_at: '2026-11-01T00:00:00Z' }
    json({ resources: [revision], offset: 1 })(query, response, headers)
  })
  try {
    const first = await start()
    first.expectErrors(/Failed to load resource/)
    const { id: environmentId } = await useEnvironment(first.page, {
      name: 'Plain',
      baseUrl: service.baseUrl,
    })
    const open = `#/deployments/${String(anyDeployment(1).id)}`
    await first.page.evaluate((to) => (location.hash = to), open)
    await expect(
      first.page.getByText('This service offers: list, create, revisions (as far as'),
    ).toBeVisible()
    await expect(first.page.getByRole('button', { name: 'Change', exact: true })).toHaveCount(0)
    expect(asked).toHaveLength(2)
    await first.close()

    const { page } = await start()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('row', { name: 'Plain' }).getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Environment' })
    await openAdvanced(dialog)
    await expect(dialog.getByText('This service offers: list, create, revisions')).toBeVisible()
    await dialog.getByRole('checkbox', { name: 'redeploy' }).check()
    await dialog.getByRole('textbox', { name: 'Dashboard' }).fill('https://board.example.com/{name}?id={id}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()

    await page.evaluate((to) => (location.hash = to), open)
    await expect(page.getByRole('link', { name: 'Dashboard' })).toBeVisible()
    const change = page.getByRole('button', { name: 'Change', exact: true })
    await change.click()
    await page.getByRole('menuitem', { name: 'Redeploy' }).click()
    const redeploy = page.getByRole('dialog', { name: 'Redeploy' })
    await redeploy.getByRole('button', { name: 'Send' }).click()
    await expect(redeploy.getByRole('alert')).toContainText('Not here.')
    await redeploy.getByRole('button', { name: 'Cancel' }).click()
    await change.click()
    const item = page.getByRole('menuitem', { name: 'Redeploy' })
    await expect(item).toHaveAttribute('aria-disabled', 'true')
    await expect(item).toContainText('Not here.')
    await page.keyboard.press('Escape')
    await openSection(page, 'Revisions')
    await expect(page.getByText('Rolling back is not offered any more')).toBeVisible()
    // All of it was kept: the service wasn't asked again.
    expect(asked).toHaveLength(2)

    const { baseUrl } = service
    await call(page, 'environments.save', {
      id: environmentId,
      name: 'Plain',
      baseUrl: baseUrl.replace('127.0.0.1', 'localhost'),
      mode: 'cloud',
      colour: 'teal',
      protected: false,
      headers: [],
      integrations: [],
    })
    expect(await call(page, 'life.keptOffers', { environmentId })).toEqual({ ok: true, value: null })
  } finally {
    await service.close()
  }
})
