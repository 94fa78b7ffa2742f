import type { Page } from '@playwright/test'
import { call, synchronise } from '../support/bridge'
import { choose, deploymentsTable, openSection, sections } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'
import { anyDeployment, changingService, json, useEnvironment } from '../support/services/stub-service'

const small = { width: 900, height: 600 }

const image = (version: string): string => `registry.example.com/support/agent:${version}`

/** A deployment as a self-hosted service answers it. */
const deployment = (more: object = {}): Record<string, unknown> => ({
  ...anyDeployment(1),
  source: 'external_docker',
  source_config: { custom_url: 'https://support.agents.example', build_on_push: null },
  source_revision_config: { image_uri: image('1.0') },
  image_version: '1.0',
  tenant_id: '00000000-0000-4000-8000-0000000000ff',
  secrets: [{ name: 'API_KEY', value: '' }],
  latest_revision_id: '11111111-0000-4000-8000-000000000001',
  active_revision_id: '11111111-0000-4000-8000-000000000001',
  updated_at: '2026-11-20T00:00:00Z',
  ...more,
})

/** The second revision, latest but not active. */
const rollingOut = {
  latest_revision_id: '22222222-0000-4000-8000-000000000002',
  source_revision_config: { image_uri: image('1.1') },
}

const card = (page: Page, name: 'Active revision' | 'Latest revision') =>
  page.getByRole('region', { name, exact: true })

async function open(page: Page, name: string): Promise<void> {
  await deploymentsTable(page).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(card(page, 'Latest revision')).toBeVisible()
}

const selectedTab = (page: Page) => page.getByRole('tab', { selected: true })

/** Whether nothing is cut off on the right. */
const fitsSideways = (page: Page): Promise<boolean> =>
  page
    .locator('main .screen')
    .first()
    .evaluate((screen) => screen.scrollWidth <= screen.clientWidth)

test('shows the active and the latest revision side by side, and the changes that it saw', async ({
  slipway,
  page,
  app,
}) => {
  const { state, stub } = await changingService(deployment())
  try {
    const environment = await useEnvironment(page, { baseUrl: stub.baseUrl })
    // A first synchronisation that is under way would take the rollout as the state at its beginning.
    await synchronise(page, environment.id)
    await open(page, 'stub-1')
    await expect(card(page, 'Latest revision')).toContainText(image('1.0'))
    await expect(card(page, 'Latest revision')).toContainText('active')
    await expect(card(page, 'Active revision')).toHaveCount(0)
    await page.getByRole('button', { name: 'Copy image URI' }).click()
    await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(image('1.0'))
    await inspectScreen(slipway, 'deployment-one-revision')

    state.all = [deployment(rollingOut)]
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(card(page, 'Latest revision')).toContainText(image('1.1'))
    await expect(card(page, 'Latest revision')).toContainText('First seen as latest')
    // A service describes the latest revision only.
    await expect(card(page, 'Active revision')).toContainText(image('1.0'))
    for (const { width, height } of [{ width: 1280, height: 800 }, small]) {
      await slipway.resize(width, height)
      const active = await card(page, 'Active revision').boundingBox()
      const latest = await card(page, 'Latest revision').boundingBox()
      expect(active!.y, `${width} wide`).toBe(latest!.y)
      expect(await fitsSideways(page)).toBe(true)
    }
    await inspectScreen(slipway, 'deployment-rolling-out')

    state.all = [deployment({ ...rollingOut, active_revision_id: rollingOut.latest_revision_id })]
    await expect(card(page, 'Active revision')).toHaveCount(0, { timeout: 20_000 })
    await expect(card(page, 'Latest revision')).toContainText('First seen active')

    await openSection(page, 'History')
    const history = page.getByRole('region', { name: 'History' })
    const rows = history.getByRole('table', { name: 'Events' }).getByRole('row')
    await expect(rows).toHaveCount(5)
    await expect(rows.nth(1)).toContainText('New active revision')
    await expect(rows.nth(2)).toContainText('New latest revision')
    await expect(rows.nth(2)).toContainText(`Runs ${image('1.1')}`)
    await expect(rows.nth(3)).toContainText('Last updated')
    await expect(rows.nth(4)).toContainText('Created')
    await inspectScreen(slipway, 'deployment-history')
  } finally {
    await stub.close()
  }
})

test('says what created it from this machine, and keeps the section that was chosen by keyboard', async ({
  page,
}) => {
  await test.step('says what created a deployment from this machine', async () => {
    const request = {
      name: 'made-here',
      source: 'internal_docker' as const,
      source_config: {},
      source_revision_config: { image_uri: image('1.0') },
      secrets: [],
    }
    const created = deployment({ ...request, created_at: new Date().toISOString() })
    const { state, stub } = await changingService()
    const list = stub.answer
    stub.answer = (query, response, headers) =>
      (response.req.method === 'POST' ? json(created, 201) : list)(query, response, headers)
    try {
      const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl })
      state.all = [created]
      const made = await call(page, 'deployments.create', { environmentId, request, confirmedName: null })
      expect(made).toMatchObject({ ok: true })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await open(page, 'made-here')
      await openSection(page, 'History')
      await expect(page.getByRole('region', { name: 'History' })).toContainText('Created from this machine')
    } finally {
      await stub.close()
    }
  })
  await test.step('a section is chosen by keyboard, and stays open for the next deployment, Back and Forward', async () => {
    const { stub } = await changingService(...[3, 2, 1].map(anyDeployment))
    try {
      await useEnvironment(page, { name: 'Sections', baseUrl: stub.baseUrl })
      await open(page, 'stub-3')
      await expect(selectedTab(page)).toHaveText('Overview')
      await selectedTab(page).focus()
      await page.keyboard.press('ArrowRight')
      await expect(selectedTab(page)).toHaveText('History')
      await expect(selectedTab(page)).toBeFocused()
      await page.keyboard.press('End')
      await expect(selectedTab(page)).toHaveText('JSON')
      await page.keyboard.press('ArrowLeft')
      await expect(selectedTab(page)).toHaveText('Resources')

      await page.getByRole('button', { name: 'Next deployment' }).click()
      await expect(page.getByRole('heading', { name: 'stub-2', level: 1 })).toBeVisible()
      await expect(selectedTab(page)).toHaveText('Resources')

      // Choosing sections adds no entries to the window's history.
      await page.keyboard.press('Alt+ArrowLeft')
      await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible()
      await page.keyboard.press('Alt+ArrowRight')
      await expect(page.getByRole('heading', { name: 'stub-2', level: 1 })).toBeVisible()
      await expect(selectedTab(page)).toHaveText('Resources')

      await page.evaluate(() => {
        location.hash = '#/deployments/00000000-0000-4000-8000-000000000001?section=history'
      })
      await expect(page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
      await expect(page.getByRole('tabpanel', { name: 'History' })).toBeVisible()
    } finally {
      await stub.close()
    }
  })
})

test('holds long and right-to-left names, empty fields and resources, at any size', async ({
  slipway,
  page,
  app,
}) => {
  const name = `وكيل-خدمة-العملاء-${'operations-'.repeat(12)}eu`
  const container = {
    name: 'telemetry',
    image: `registry.example.com/${'tools/'.repeat(12)}collector:0.115.1`,
    args: ['--config=/etc/agent/telemetry.yaml'],
    envFrom: [{ configMapRef: { name: 'telemetry' } }],
    resources: { requests: { cpu: '50m' }, limits: { cpu: '200m', memory: '256Mi' } },
    volumeMounts: [{ name: 'scratch', mountPath: '/tmp/agent' }],
  }
  const resource_spec = {
    ...{ min_scale: 1, max_scale: 10, cpu: 0.5, cpu_limit: 1, memory_mb: 512, db_storage_gi: 20 },
    labels: { team: 'support', 'app.kubernetes.io/name': name },
    volumes: [{ name: 'scratch', emptyDir: {} }],
    volume_mounts: [{ name: 'scratch', mountPath: '/tmp/agent', readOnly: false }],
    sidecars: [container],
    gpu_count: 1,
  }
  const { stub } = await changingService(
    deployment({ name, ...rollingOut, source_config: { resource_spec } }),
  )
  const zoomTo = (factor: number) =>
    app.evaluate(
      ({ BrowserWindow }, zoom) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(zoom),
      factor,
    )
  try {
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await deploymentsTable(page).getByRole('link').first().click()
    await expect(card(page, 'Active revision')).toContainText("What it runs isn't known")
    const empty = page.getByText(/^\d+ empty fields$/)
    await empty.click()
    const names = page.getByRole('list', { name: 'Empty fields' }).getByRole('listitem')
    await expect(names.filter({ hasText: 'Listener ID' })).toBeVisible()
    await expect(empty).toHaveText(`${await names.count()} empty fields`)
    await inspectScreen(slipway, 'deployment-empty-fields')

    for (const section of sections) {
      await openSection(page, section)
      await slipway.resize(small.width, small.height)
      expect.soft(await fitsSideways(page), `${section}, 900x600`).toBe(true)
      await zoomTo(2)
      await page.waitForFunction((width) => Math.abs(innerWidth - width) <= 1, small.width / 2)
      expect.soft(await fitsSideways(page), `${section}, 900x600 at 200 %`).toBe(true)
      await zoomTo(1)
      await slipway.resize(1280, 800)
    }
    await openSection(page, 'Resources')
    const sidecars = page.getByRole('region', { name: 'Sidecars' })
    await expect(sidecars).toContainText('telemetry')
    await expect(sidecars).toContainText('Environment sources')
    await expect(sidecars).toContainText('Mount path')
    await expect(sidecars).not.toContainText('mountPath')
    await expect(page.getByRole('region', { name: 'Volumes' })).toContainText('emptyDir')
    await expect(page.getByRole('region', { name: 'Other fields of the resource spec' })).toContainText(
      'gpu_count',
    )
    await inspectScreen(slipway, 'deployment-resources')

    await openSection(page, 'JSON')
    await app.evaluate(({ clipboard }) => clipboard.clear())
    await page.getByRole('button', { name: 'Copy text' }).click()
    await expect
      .poll(() => app.evaluate(({ clipboard }) => clipboard.readText()))
      .toContain('"image_version": "1.0"')
    await inspectScreen(slipway, 'deployment-json')
    // The other sections stay within reach.
    await page
      .getByRole('region', { name: 'Deployment as JSON' })
      .evaluate((json) => json.scrollIntoView(false))
    await expect(page.getByRole('tab', { name: 'Overview' })).toBeInViewport()
    await expect(page.getByRole('heading', { level: 1 })).not.toBeInViewport()
  } finally {
    await zoomTo(1)
    await stub.close()
  }
})

test('shows what the cache has of one that is gone, offline or not, but no other environment’s', async ({
  slipway,
  page,
}) => {
  await test.step('shows all sections of a deployment from the cache, also of one that is gone', async () => {
    const { state, stub } = await changingService(deployment(), anyDeployment(2))
    try {
      await useEnvironment(page, { name: 'Harbour', baseUrl: stub.baseUrl })
      await open(page, 'stub-1')
      await page.getByRole('textbox', { name: 'Note' }).fill('Ask Ann before you touch it.')
      await page.getByRole('button', { name: 'Back to the list' }).click()
      await page.getByRole('radio', { name: 'Cached', exact: true }).check()
      const sync = page.getByRole('button', { name: 'Sync now' })
      const row = deploymentsTable(page).getByRole('row').filter({ hasText: 'stub-1' })
      await sync.click()
      await expect(sync).toBeEnabled()
      state.all = [anyDeployment(2)]
      await expect(async () => {
        await sync.click()
        await expect(row).toContainText('deleted', { timeout: 5_000 })
      }).toPass({ timeout: 60_000 })
    } finally {
      await stub.close()
    }

    await open(page, 'stub-2')
    await expect(page.getByText('From the cache, as of')).toBeVisible()
    await inspectScreen(slipway, 'deployment-offline')
    await page.getByRole('button', { name: 'Back to the list' }).click()

    await open(page, 'stub-1')
    await expect(page.getByText('Deleted, as of')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('Ask Ann before you touch it.')
    await inspectScreen(slipway, 'deployment-gone')
    for (const section of ['History', 'Resources', 'JSON'] as const) await openSection(page, section)
    await openSection(page, 'History')
    await expect(page.getByRole('region', { name: 'History' })).toContainText('No longer at the service')
  })
  await test.step('shows what the cache has of a deployment that a service no longer has, but no other environment’s', async () => {
    const { state, stub } = await changingService(deployment(), anyDeployment(2))
    const other = await changingService(anyDeployment(3))
    const gone = 'the service has no deployment with this identifier'
    try {
      await useEnvironment(page, { name: 'Port', baseUrl: stub.baseUrl })
      await choose(page, 'Auto-refresh', 'Off')
      await open(page, 'stub-1')
      await page.getByRole('textbox', { name: 'Note' }).fill('Ask Ann before you touch it.')
      await page.getByRole('button', { name: 'Back to the list' }).click()

      state.all = [anyDeployment(2)]
      await open(page, 'stub-1')
      const notice = page.getByRole('main').getByRole('status').filter({ hasText: 'From the cache, as of' })
      await expect(notice).toContainText(gone)
      await expect(notice).toContainText('Deleted, as of')
      await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('Ask Ann before you touch it.')
      await expect(page.getByRole('alert')).toHaveCount(0)
      await openSection(page, 'JSON')

      await page.getByRole('button', { name: 'Back to the list' }).click()
      await deploymentsTable(page).getByRole('link', { name: 'stub-1', exact: true }).focus()
      await page.keyboard.press('Enter')
      const panel = page.getByRole('complementary', { name: 'Deployment panel' })
      await expect(panel).toContainText(gone)
      await expect(panel).toContainText('Deleted, as of')
      await expect(panel).toContainText('Ask Ann before you touch it.')
      await expect(panel).toContainText('https://support.agents.example')
      await page.keyboard.press('Escape')

      await useEnvironment(page, { name: 'Elsewhere', baseUrl: other.stub.baseUrl })
      await page.evaluate(
        (id) => {
          location.hash = `#/deployments/${id}`
        },
        String(anyDeployment(1).id),
      )
      await expect(page.getByRole('alert')).toContainText(
        'The service has no deployment with this identifier.',
      )
      await expect(page.getByText('Deleted, as of')).toHaveCount(0)
    } finally {
      await stub.close()
      await other.stub.close()
    }
  })
})
