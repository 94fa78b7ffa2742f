import type { ElectronApplication, Page } from '@playwright/test'
import { call, synchronise } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import {
  askDirectly,
  choose,
  deploymentsTable,
  openSection,
  sections,
  setPageSize,
  shownNames,
} from '../support/page/deployments'
import { answerQuestions, openAdvanced } from '../support/page/dialogs'
import { anyDeployment, changingService, useEnvironment } from '../support/services/stub-service'

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
  } finally {
    await stub.close()
  }
})

test('a section stays open for the next deployment, Back and Forward', async ({ page }) => {
  const { stub } = await changingService(...[3, 2, 1].map(anyDeployment))
  try {
    await useEnvironment(page, { name: 'Sections', baseUrl: stub.baseUrl })
    await open(page, 'stub-3')
    await expect(selectedTab(page)).toHaveText('Overview')
    await selectedTab(page).focus()
    await page.keyboard.press('ArrowRight')
    await expect(selectedTab(page)).toHaveText('History')
    await page.keyboard.press('ArrowRight')
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

test('holds long and right-to-left names, empty fields and resources, at any size', async ({
  slipway,
  page,
  app,
}) => {
  const name = `وكيل-خدمة-العملاء-${'operations-'.repeat(12)}eu`
  const status = `PAUSED_${'FOR_A_REASON_'.repeat(20)}END`
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
    deployment({ name, status, ...rollingOut, source_config: { resource_spec } }),
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
    const shownStatus = page.getByRole('main').locator('.deployment-status').first()
    await expect(shownStatus).toHaveAttribute('title', status)
    expect((await shownStatus.boundingBox())!.height, 'one line').toBeLessThan(25)
    const empty = page.getByText(/^\d+ empty fields$/)
    await empty.click()
    const names = page.getByRole('list', { name: 'Empty fields' }).getByRole('listitem')
    await expect(names.filter({ hasText: 'Listener ID' })).toBeVisible()
    await expect(empty).toHaveText(`${await names.count()} empty fields`)

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

test('shows what the cache has of one that is gone, but no other environment’s', async ({
  slipway,
  page,
}) => {
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
    await inspectScreen(slipway, 'deployment-gone')
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
    await expect(page.getByRole('alert')).toContainText('The service has no deployment with this identifier.')
    await expect(page.getByText('Deleted, as of')).toHaveCount(0)
  } finally {
    await stub.close()
    await other.stub.close()
  }
})

/** Replaces the system's browser. Returns a function that gives the URLs it was asked to open. */
async function watchBrowser(app: ElectronApplication): Promise<() => Promise<string[]>> {
  await app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    shell.openExternal = (url) => {
      opened.push(url)
      return Promise.resolve()
    }
  })
  return () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)
}

test('an address opens in the browser exactly as it is shown, once the operator agreed to its host', async ({
  app,
  page,
}) => {
  const opened = await watchBrowser(app)
  const { id, repo_url: url } = (await askDirectly(page)).find(({ repo_url }) => repo_url)!
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  await page.evaluate((found) => (location.hash = `#/deployments/${found}`), id)
  const link = page.getByRole('link', { name: url! })
  const no = await answerQuestions(app, 'Cancel')
  await link.click()
  await expect.poll(no).toHaveLength(1)
  expect((await no())[0]).toContain(`Open ${new URL(url!).host} in your browser?`)
  expect(await opened()).toEqual([])
  await answerQuestions(app, 'Open')
  // Nothing is asked right after a no.
  await expect(async () => {
    if ((await opened()).length === 0) await link.click()
    expect(await opened()).toEqual([new URL(url!).href])
  }).toPass()
})

const region = (page: Page) => page.getByRole('region', { name: 'History' })

async function openHistory(page: Page, name: string): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Deployments', exact: true }).click()
  await deploymentsTable(page).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await openSection(page, 'History')
}

test('keeps the changes of a deployment for as many days as the operator chooses', async ({
  slipway,
  page,
}) => {
  const updated = { updated_at: '2026-11-20T00:00:00Z' }
  const { state, stub } = await changingService(anyDeployment(1), anyDeployment(2))
  try {
    const { id: environmentId } = await useEnvironment(page, { baseUrl: stub.baseUrl })
    // The history begins with the first synchronisation.
    const readState = async () => {
      const outcome = await call(page, 'history.state', { environmentId })
      return outcome.ok ? outcome.value : null
    }
    await call(page, 'sync.start', { environmentId })
    await expect.poll(async () => (await readState())?.since ?? null).not.toBeNull()
    expect(await readState()).toMatchObject({ entries: 0, days: 90 })

    await openHistory(page, 'stub-1')
    await expect(region(page)).not.toContainText('Status:')
    state.all = [
      {
        ...anyDeployment(1),
        ...updated,
        status: 'AWAITING_DATABASE',
        latest_revision_id: '22222222-0000-4000-8000-000000000002',
        source_revision_config: { repo_ref: 'release' },
        secrets: [{ name: 'TOKEN', value: 'a-value-that-nobody-may-see' }],
      },
      anyDeployment(2),
      anyDeployment(3),
    ]
    await page.getByRole('button', { name: 'Refresh' }).click()
    const row = region(page).getByRole('row').filter({ hasText: 'Seen on its own screen' })
    await expect(row).toContainText('Awaiting database')
    await expect(row).toContainText('New latest revision')
    await expect(row).toContainText('Git ref')
    await expect(row).toContainText('main → release')
    await expect(row).toContainText('Added: TOKEN')
    await inspectScreen(slipway, 'deployment-history-kept')
    await row.getByRole('checkbox', { name: / UTC/ }).press('Space')
    await expect(region(page).getByRole('button', { name: 'Compare with now' })).toBeEnabled()
    state.all = [{ ...state.all[0], source_revision_config: { repo_ref: 'hotfix' } }, ...state.all.slice(1)]
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(region(page)).toContainText('release → hotfix')
    await region(page).getByRole('button', { name: 'Compare with now' }).press('Enter')
    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeVisible()
    const differing = page.getByRole('table', { name: 'Differences' }).getByRole('row')
    await expect(differing.filter({ hasText: 'hotfix' })).toContainText('release')
    await expect(page.getByRole('region', { name: 'Left side' })).toContainText('From the history')
    await openHistory(page, 'stub-1')
    await expect(region(page).getByRole('row').filter({ hasText: 'Awaiting database' })).toHaveCount(1)
    await expect(region(page)).not.toContainText('a-value-that-nobody-may-see')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await openHistory(page, 'stub-3')
    await expect(region(page)).toContainText('New in the environment')

    const main = page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'Environments' }).click()
    const environment = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name: 'Stub' })
    const edit = environment.getByRole('button', { name: 'Edit' })
    const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
    const choice = dialog.getByRole('radiogroup', { name: 'Keep history for' })
    await edit.click()
    await openAdvanced(dialog)
    await expect(choice.getByRole('radio', { name: '90 days' })).toBeChecked()
    await expect(dialog).toContainText('It takes less than 0.1 MB for 3 entries')
    await choice.getByText('365 days').click()
    await inspectScreen(slipway, 'environment-history')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await edit.click()
    await openAdvanced(dialog)
    await expect(choice.getByRole('radio', { name: '365 days' })).toBeChecked()
  } finally {
    await stub.close()
  }
})

const panel = (page: Page) => page.getByRole('complementary', { name: 'Deployment panel' })
const shown = (page: Page) => panel(page).getByRole('heading', { level: 2 })
const title = (page: Page) => page.getByRole('heading', { level: 1 })
const link = (page: Page, name: string) => deploymentsTable(page).getByRole('link', { name, exact: true })
const edge = (page: Page) => page.getByRole('separator', { name: 'Panel width' })
const clipboard = (app: ElectronApplication) => app.evaluate(({ clipboard }) => clipboard.readText())

test('Enter shows a row in the panel, which follows the keyboard, and Enter again opens its page', async ({
  page,
}) => {
  await setPageSize(page, 10)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(10)
  const names = await shownNames(page)
  await title(page).focus()
  await page.keyboard.press('j')
  await expect(link(page, names[0]!)).toBeFocused()
  await expect(panel(page)).toHaveCount(0)

  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[0]!)
  await expect(link(page, names[0]!)).toBeFocused()
  for (const key of ['j', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key)
  await expect(shown(page)).toHaveText(names[2]!)
  const current = deploymentsTable(page).locator('[aria-current="true"]')
  await expect(current).toHaveCount(1)
  await expect(current.getByRole('link')).toHaveText(names[2]!)

  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, names[2]!)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[2]!)
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(names[2]!)
  await expect(title(page)).toBeFocused()

  // Back in the list, the panel is unchanged. The name's link opens the page directly.
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(shown(page)).toHaveText(names[2]!)
  await link(page, names[5]!).click()
  await expect(title(page)).toHaveText(names[5]!)
})

test('the panel follows the table in the tab order, copies, steps through the list and clones', async ({
  page,
  app,
}) => {
  const all = await askDirectly(page)
  const index = all.slice(1, 48).findIndex(({ image_uri }) => image_uri) + 1
  const deployment = all[index]!
  await expect(link(page, deployment.name)).toBeVisible()
  await link(page, deployment.name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Show in panel' }).click()
  await expect(shown(page)).toHaveText(deployment.name)
  await expect(link(page, deployment.name)).toBeFocused()

  await panel(page).getByRole('button', { name: 'Copy ID', exact: true }).click()
  await expect.poll(() => clipboard(app)).toBe(deployment.id)
  await panel(page).getByRole('button', { name: 'Copy image URI' }).click()
  await expect.poll(() => clipboard(app)).toBe(deployment.image_uri)
  const favourite = panel(page).getByRole('button', { name: 'Favourite' })
  await favourite.click()
  await expect(favourite).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Clear' }).click()
  // From the last button of the list, Tab leads into the panel.
  await deploymentsTable(page).getByRole('row').last().getByRole('button').last().focus()
  await expect(shown(page)).toHaveText(all[9]!.name)
  await page.keyboard.press('Tab')
  await expect(edge(page)).toBeFocused()
  await page.keyboard.press('Tab')
  const previous = panel(page).getByRole('button', { name: 'Previous deployment' })
  await expect(previous).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(all[8]!.name)
  await expect(previous).toBeFocused()
  const next = panel(page).getByRole('button', { name: 'Next deployment' })
  await next.click()
  await expect(next).toBeDisabled()
  await expect(previous).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, all[9]!.name)).toBeFocused()

  await link(page, deployment.name).focus()
  await page.keyboard.press('Enter')
  await panel(page).getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(title(page)).toHaveText('New deployment')
  await expect(page.getByRole('textbox', { name: 'Image URI' })).toHaveValue(deployment.image_uri!)
})

test('F6 leads between the row and the panel, and the palette acts on its deployment', async ({
  page,
  app,
}) => {
  const all = await askDirectly(page)
  const deployment = all.slice(0, 10).find(({ image_uri }) => image_uri)!
  await link(page, deployment.name).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(deployment.name)
  const hasFocus = () => panel(page).evaluate((aside) => aside.contains(document.activeElement))
  await page.keyboard.press('F6')
  expect(await hasFocus()).toBe(true)
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
  expect(outline, 'the focus is seen').toBe('solid')
  await page.keyboard.press('Tab')
  expect(await hasFocus()).toBe(true)
  await page.keyboard.press('Shift+F6')
  await expect(link(page, deployment.name)).toBeFocused()

  const run = async (label: string): Promise<void> => {
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox', { name: 'Search commands and deployments' }).fill(label)
    await page.getByRole('option', { name: label, exact: true }).click()
  }
  for (const [label, text] of [
    ['Copy image', deployment.image_uri],
    ['Copy link', `slipway://Sandbox%20%28cloud%29/deployments/${deployment.id}`],
  ] as const) {
    await run(label)
    await expect.poll(() => clipboard(app), label).toBe(text)
  }
  await run('Favourite')
  await expect(panel(page).getByRole('button', { name: 'Favourite' })).toHaveAttribute('aria-pressed', 'true')
  await run('Edit note')
  await expect(panel(page).getByRole('textbox', { name: 'Note' })).toBeFocused()
  await page.keyboard.type('Ask Ann.')
  await page.keyboard.press('Escape')
  await expect(panel(page).getByRole('textbox', { name: 'Note' })).toHaveCount(0)
  await expect(panel(page)).toContainText('Ask Ann.')
  await run('Clone deployment')
  await expect(title(page)).toHaveText('New deployment')
  await expect(page.getByRole('textbox', { name: 'Image URI' })).toHaveValue(deployment.image_uri!)
})

test('its appearance, and a narrow window, which has no panel', async ({ slipway, page }) => {
  await expect.poll(() => shownNames(page)).toHaveLength(10)
  const names = await shownNames(page)
  await link(page, names[0]!).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(names[0]!)
  await panel(page).getByRole('button', { name: 'Copy ID' }).focus()

  await slipway.resize(900, 600)
  await expect(panel(page)).toHaveCount(0)
  await expect(link(page, names[0]!)).toBeFocused()
  await link(page, names[1]!).click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Clone', exact: true })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Show in panel' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(names[1]!)
  await page.keyboard.press('Alt+ArrowLeft')
  await slipway.resize(1280, 800)
  await expect(panel(page)).toBeVisible()
  await panel(page).getByRole('button', { name: 'Close panel' }).click()

  const all = await askDirectly(page)
  const rolling = all.slice(0, 10).find((one) => one.latest_revision_id !== one.active_revision_id)!
  await link(page, rolling.name).focus()
  await page.keyboard.press('Enter')
  await expect(shown(page)).toHaveText(rolling.name)
  await expect(panel(page).getByText('Loading details…')).toHaveCount(0)
  await inspectScreen(slipway, 'deployments-panel')
})
