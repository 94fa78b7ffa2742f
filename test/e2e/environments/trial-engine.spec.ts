import type { Page } from '@playwright/test'
import { call } from '../support/bridge'
import { alone as test, expect } from '../support/fixtures'
import { HttpProxy } from '../support/services/http-proxy'
import { json, StubService } from '../support/services/stub-service'

const apiKey = 'k3y-for-the-official-engine-only'
const allowed = { SLIPWAY_ALLOW_TRIAL_ENGINE: '1' }
const list = { limit: 20, offset: 0 }

const banner = (page: Page) => page.getByRole('region', { name: 'Trial engine' })

const draft = (baseUrl: string, proxy: HttpProxy, headers: { name: string; value: string }[]) => ({
  id: null,
  name: 'Far away',
  baseUrl,
  mode: 'cloud' as const,
  colour: 'teal' as const,
  protected: false,
  headers,
  integrations: [],
  proxy: { mode: 'manual' as const, ...proxy.address, credentials: null },
})

test('a trial engine is named in the window, and no credentials go through it to other machines', async ({
  start,
}) => {
  const service = await StubService.start(json({ resources: [], offset: 0 }))
  // Through this proxy, all hosts lead to this machine. It counts the requested hosts.
  const proxy = await HttpProxy.start(Number(new URL(service.baseUrl).port))
  const far = draft('http://far.test', proxy, [{ name: 'X-Api-Key', value: apiKey }])

  // With permission, an environment is saved and used.
  const first = await start(allowed)
  const version = await first.app.evaluate(() => process.versions.electron)
  test.skip(Number.parseInt(version, 10) > 33, `Electron ${version} is no trial engine.`)
  await expect(banner(first.page)).toHaveText(
    'Trial engine: no security fixes. Use the official Electron for real environments.',
  )
  const saved = await call(first.page, 'environments.save', far)
  expect(saved).toMatchObject({ ok: true })
  const environmentId = saved.ok ? saved.value.id : ''
  await call(first.page, 'environments.select', { id: environmentId })
  expect(await call(first.page, 'deployments.page', { environmentId, query: list })).toMatchObject({
    ok: true,
  })
  expect(proxy.requested).toContain('far.test')
  await first.close()

  // Without it, stored credentials aren't sent, and new ones aren't accepted.
  proxy.requested.length = 0
  const { page } = await start()
  await expect(banner(page)).toBeVisible()
  const refused = { ok: false, failure: { code: 'not-allowed', message: expect.stringContaining(version) } }
  expect(await call(page, 'deployments.page', { environmentId, query: list })).toMatchObject(refused)
  const creation = await call(page, 'deployments.create', {
    environmentId,
    request: {
      name: 'agent',
      source: 'internal_docker',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    },
    confirmedName: null,
  })
  expect(creation).toMatchObject(refused)
  const withStoredKey = { ...far, id: environmentId, headers: [{ name: 'X-Api-Key', value: null }] }
  expect(await call(page, 'environments.check', withStoredKey)).toMatchObject(refused)
  expect(await call(page, 'environments.check', far)).toMatchObject(refused)
  expect(await call(page, 'environments.save', { ...far, name: 'Another' })).toMatchObject(refused)
  expect(proxy.requested, 'nothing was sent').toEqual([])
  await expect(page.getByRole('alert').filter({ hasText: 'SLIPWAY_ALLOW_TRIAL_ENGINE=1' })).toBeVisible()

  // Requests without credentials may go anywhere, and credentials may go to this machine.
  expect(await call(page, 'environments.check', draft('http://far.test', proxy, []))).toMatchObject({
    ok: true,
  })
  expect(await call(page, 'environments.check', draft(service.baseUrl, proxy, far.headers))).toMatchObject({
    ok: true,
  })

  proxy.close()
  await service.close()
})
