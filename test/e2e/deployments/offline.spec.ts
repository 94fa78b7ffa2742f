import { openSync, closeSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { sampleIntegrationId } from '@contract'
import type { CachedPage, SyncState } from '@contract/cache'
import { type RunningService, startService } from '../../support/service/service-process'
import { addEnvironment, call, secretHeader, select } from '../support/bridge'
import { hasKey, inspectCache } from '../support/files'
import { type Slipway, test } from '../support/fixtures'
import { execute, isRunning, utilityProcesses } from '../support/processes'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

const serviceSize = 240

let service: RunningService

test.beforeEach(async () => {
  service = await startService({ mode: 'cloud', sample: serviceSize })
})

test.afterEach(() => service.dispose())

async function syncState(page: Page, environmentId: string): Promise<SyncState> {
  const outcome = await call(page, 'sync.state', { environmentId })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure))
  return outcome.value
}

/** Synchronises the current environment as an operator does, and waits for the end. */
async function synchronise(page: Page, environmentId: string): Promise<SyncState> {
  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  const before = (await syncState(page, environmentId)).last?.at
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect
    .poll(
      async () => {
        const { last } = await syncState(page, environmentId)
        return last?.at === before ? null : last?.end
      },
      { timeout: 120_000 },
    )
    .toBe('complete')
  return syncState(page, environmentId)
}

/** Chooses the live list: the next start shows the list that was shown last. */
const showLive = (page: Page) => page.getByRole('radio', { name: 'Live', exact: true }).check()

const table = (page: Page) => page.getByRole('table', { name: 'Deployments' })
const firstName = (page: Page) => table(page).getByRole('rowheader').first()

async function navigate(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
}

async function listRepositories(page: Page): Promise<void> {
  await navigate(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.getByRole('button', { name: 'List repositories' }).click()
}

/** The rows of Repositories, once those out of view are drawn too. */
async function repositoryNames(page: Page): Promise<string[]> {
  const table = page.getByRole('table', { name: 'Repositories' })
  await expect(table).toHaveAttribute('aria-busy', 'false')
  return table.locator('tbody tr').allTextContents()
}

/** The cache process's identifier. */
const cacheProcess = async (slipway: Slipway): Promise<number> =>
  (await utilityProcesses(slipway, 'Slipway cache'))[0]!

/** All files below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : []
  })
}

test('shows what was opened before once the service is gone, without a synchronisation', async ({ page }) => {
  const stub = await StubService.start(json({ resources: [], offset: 0 }))
  try {
    // Only the list itself may fill the cache.
    await addEnvironment(page, 'Harbour', stub.baseUrl, false)
    await expect(page.getByText('No deployments yet')).toBeVisible()
    stub.answer = json({ resources: [anyDeployment(1)], offset: 1 })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(firstName(page)).toContainText('stub-1')
  } finally {
    await stub.close()
  }
  await page.getByRole('button', { name: 'Refresh' }).click()
  const main = page.getByRole('main')
  await expect(main).toContainText("Harbour can't be reached")
  await expect(main).toContainText('opened deployments only; not synced yet')
  await expect(page.getByRole('radio', { name: 'Cached', exact: true })).toBeChecked()
  await expect(main.getByRole('alert')).toHaveCount(0)
  await expect(firstName(page)).toContainText('stub-1')
})

test('shows, searches and sorts everything without the service, and notices its return by itself', async ({
  slipway,
  start,
}) => {
  let { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(firstName(page)).toBeVisible()
  const state = await synchronise(page, id)
  expect(state.cache?.deployments).toBe(serviceSize)
  expect(state.storage).toBe('disk')
  await listRepositories(page)
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('button')).not.toHaveCount(0)
  const repositories = await repositoryNames(page)
  await navigate(page, 'Deployments')
  await showLive(page)

  const { port } = new URL(service.url)
  const { data } = service
  await service.stop()
  await slipway.close()
  const again = await start()
  page = again.page

  // Cached deployments show at once. The failed call then switches the screen to the cache, with its age.
  await expect(firstName(page)).toBeVisible()
  await expect(page.getByText(/can(?:not|'t) be reached/).first()).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('radio', { name: 'Cached', exact: true })).toBeChecked()
  const bar = page.getByText(/^Offline – showing the cache from (\d+ \w+ \d+, )?\d\d:\d\d, .+ old$/)
  await expect(bar).toBeVisible()
  await expect(table(page)).toHaveAttribute('aria-rowcount', String(serviceSize + 1))
  await page.getByRole('radio', { name: 'Live', exact: true }).click()
  const why = "Harbour still can't be reached. The live list comes back as soon as it can."
  await expect(page.getByRole('main').getByText(why)).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Cached', exact: true })).toBeChecked()
  await inspectScreen(again, 'deployments-offline')

  const wanted = (await firstName(page).getByRole('link').textContent())?.trim() ?? ''
  await page.getByRole('textbox', { name: 'Search deployments' }).fill(wanted.slice(2))
  await expect(firstName(page)).toContainText(wanted.slice(2))
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(table(page)).toHaveAttribute('aria-rowcount', String(serviceSize + 1))

  await table(page).getByRole('button', { name: 'Name' }).click()
  await expect(table(page).getByRole('columnheader', { name: 'Name' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  )
  const names = (await table(page).getByRole('rowheader').getByRole('link').allTextContents()).slice(0, 20)
  expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other)))

  // A deployment opens from the cache and says so.
  await firstName(page).getByRole('link').click()
  await expect(page.getByText(/From the cache/)).toBeVisible({ timeout: 60_000 })

  // Repositories too, and nothing can be created meanwhile.
  await listRepositories(page)
  await expect(page.getByText(/From the cache/).first()).toBeVisible({ timeout: 60_000 })
  expect(await repositoryNames(page)).toEqual(repositories)
  await navigate(page, 'New deployment')
  const create = page.getByRole('button', { name: 'Create deployment' })
  await expect(create).toBeDisabled()
  await expect(create).toHaveAccessibleDescription(/Harbour can't be reached/)

  service = await startService({ mode: 'cloud', data, port: Number(port) })
  await expect(create).toBeEnabled({ timeout: 120_000 })
  await navigate(page, 'Deployments')
  await expect(page.getByRole('radio', { name: 'Live', exact: true })).toBeChecked({ timeout: 60_000 })
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Online')
})

/** A proxy in front of a service that holds back chosen requests. */
class Gate {
  private waiting: (() => void)[] = []
  private holds: (query: URLSearchParams) => boolean = () => false

  private constructor(
    private readonly server: Server,
    readonly baseUrl: string,
  ) {}

  static async start(target: string): Promise<Gate> {
    const server = createServer((incoming, response) => {
      const pass = (): void => forward(target, incoming, response)
      const { searchParams } = new URL(incoming.url ?? '/', target)
      if (gate.holds(searchParams)) gate.waiting.push(pass)
      else pass()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const gate: Gate = new Gate(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return gate
  }

  /** Holds back the requests that `holds` accepts, until `open`. */
  hold(holds: (query: URLSearchParams) => boolean): void {
    this.holds = holds
  }

  /** How many requests are held back. */
  get held(): number {
    return this.waiting.length
  }

  /** Lets all requests pass. */
  open(): void {
    this.holds = () => false
    for (const pass of this.waiting.splice(0)) pass()
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

function forward(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method } = incoming
  const url = new URL(incoming.url ?? '/', target)
  const headers = { ...incoming.headers, host: url.host }
  const onward = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  // The client may be gone, and the service too.
  onward.on('error', () => response.destroy())
  response.on('error', () => onward.destroy())
  incoming.pipe(onward)
}

test.describe('in the middle of a synchronisation', () => {
  let gate: Gate

  test.beforeEach(async () => {
    gate = await Gate.start(service.url)
  })
  test.afterEach(() => gate.close())

  /** Overwrites some bytes all over a file. */
  function damage(file: string): void {
    const descriptor = openSync(file, 'r+')
    const { size } = statSync(file)
    for (let at = 0; at < size; at += 1500) writeSync(descriptor, Buffer.from([0x5a]), 0, 1, at)
    closeSync(descriptor)
  }

  /** Starts a synchronisation that has written its first pages and waits for the rest. */
  async function beginAndHold(page: Page, id: string): Promise<void> {
    // Not one that began in the background, which may have got further.
    await call(page, 'sync.interval', { environmentId: id, minutes: 0 })
    await expect.poll(async () => (await syncState(page, id)).progress, { timeout: 60_000 }).toBeNull()
    gate.hold((query) => query.get('limit') === '100' && Number(query.get('offset')) >= 150)
    await call(page, 'sync.start', { environmentId: id })
    await expect.poll(() => gate.held, { timeout: 60_000 }).toBeGreaterThan(0)
    await expect
      .poll(async () => (await syncState(page, id)).cache?.deployments, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(150)
  }

  test('continues after the whole application was killed, and says so; sets aside a damaged cache', async ({
    slipway,
    start,
    userData,
    keyring,
  }) => {
    const id = await addEnvironment(slipway.page, 'Harbour', gate.baseUrl)
    await expect(firstName(slipway.page)).toBeVisible()
    await beginAndHold(slipway.page, id)
    const pid = await cacheProcess(slipway)
    // The first pages are on the disk although the service withholds the rest.
    await expect(async () => {
      const written = await inspectCache({ userData, environmentId: id, keyring })
      expect(written.deployments).toBeGreaterThanOrEqual(150)
    }).toPass({ timeout: 60_000 })
    await slipway.kill()
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false)
    const left = await inspectCache({ userData, environmentId: id, keyring })
    expect(left.integrity).toBe('ok')
    expect(left.deployments).toBeGreaterThanOrEqual(150)

    gate.open()
    const again = await start()
    const { page } = again
    await expect(firstName(page)).toBeVisible()
    const after = await synchronise(page, id)
    expect(after.cache?.deployments).toBe(serviceSize)
    expect(after.problem).toBeNull()
    await navigate(page, 'Activity')
    await page.getByRole('radio', { name: 'Syncs' }).check()
    const rows = page.getByRole('table', { name: 'Activity' }).getByRole('row')
    await expect(rows.filter({ hasText: 'Harbour' }).filter({ hasText: 'interrupted' })).toHaveCount(1)
    await expect(rows.filter({ hasText: 'Harbour' }).filter({ hasText: 'complete' })).not.toHaveCount(0)
    await navigate(page, 'Deployments')
    await showLive(page)
    await again.close()
    const whole = await inspectCache({ userData, environmentId: id, keyring })
    expect(whole).toEqual({ integrity: 'ok', deployments: serviceSize })

    damage(join(userData, 'cache', `${id}.db`))
    const { page: last } = await start()
    await expect(last.getByText(/damaged.*set aside as/)).toBeVisible()
    await expect(firstName(last)).toBeVisible()
    expect((await synchronise(last, id)).cache?.deployments).toBe(serviceSize)
    const aside = readdirSync(join(userData, 'cache')).filter((name) => name.includes('.damaged-'))
    expect(aside.some((name) => name.startsWith(id))).toBe(true)
  })
})

test('says that the disk is full, continues, and writes to the cache again once there is room', async ({
  slipway,
}) => {
  test.skip(process.platform !== 'linux', 'Only Linux has a way to limit the files of a process that runs.')
  const { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(firstName(page)).toBeVisible()
  await expect.poll(async () => (await syncState(page, id)).cache?.deployments).toBeGreaterThan(0)
  const pid = await cacheProcess(slipway)
  const limitFiles = (bytes: number | 'unlimited') =>
    execute('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])

  await limitFiles(4096)
  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect(page.getByText(/The disk is full/).first()).toBeVisible({ timeout: 60_000 })
  await expect
    .poll(async () => (await syncState(page, id)).last?.failure?.code, { timeout: 60_000 })
    .toBe('disk-full')
  // The cached deployments are still readable, and the service still answers.
  await expect(firstName(page)).toBeVisible()
  await page.getByRole('radio', { name: 'Live', exact: true }).check()
  await expect(firstName(page)).toBeVisible()

  // A cache that couldn't even be created is created once there is room, in the same process.
  const other = await addEnvironment(page, 'Lighthouse', service.url)
  await expect(firstName(page)).toBeVisible()
  await expect.poll(async () => (await syncState(page, other)).problem).toMatch(/disk is full/)
  await limitFiles('unlimited')
  expect((await synchronise(page, other)).cache?.deployments).toBe(serviceSize)
  await select(page, id)
  const state = await synchronise(page, id)
  expect(state).toMatchObject({ problem: null, cache: { deployments: serviceSize } })
  expect(await cacheProcess(slipway)).toBe(pid)
})

test('never mixes two environments with one base URL, and forgets one without touching the other', async ({
  slipway,
  userData,
  keyring,
}) => {
  const { page } = slipway
  const stub = await StubService.start((query, response, headers) => {
    const team = String(headers['x-team'])
    const own = Number(query.get('offset') ?? 0) === 0 && team !== 'undefined' ? [1, 2, 3] : []
    const resources = own.map((index) => ({
      ...anyDeployment(index),
      name: `${team}-agent-${index}`,
      secrets: [{ name: 'TOKEN', value: `secret-of-${team}` }],
    }))
    json({ resources, offset: resources.length })(query, response, headers)
  })
  try {
    const teams = ['northerly', 'southerly']
    const ids: string[] = []
    for (const team of teams) {
      const headers = [{ name: 'X-Team', value: team }]
      const { id } = await useEnvironment(page, { name: team, baseUrl: stub.baseUrl, headers })
      ids.push(id)
      await expect(firstName(page)).toContainText(`${team}-agent`)
      await synchronise(page, id)
    }
    await stub.close()
    for (const [index, id] of ids.entries()) {
      await select(page, id)
      await page.getByRole('radio', { name: 'Cached', exact: true }).check()
      await expect(firstName(page)).toContainText(`${teams[index]}-agent`)
      await expect(table(page).getByRole('rowheader')).toHaveCount(3)
    }

    const [removed, remaining] = ids.map((environmentId) => ({ userData, environmentId, keyring }))
    expect(await hasKey(removed!)).toBe(true)
    expect((await call(page, 'environments.remove', { id: ids[0]!, confirmedName: null })).ok).toBe(true)
    expect(readdirSync(join(userData, 'cache')).some((file) => file.startsWith(ids[0]!))).toBe(false)
    await expect.poll(() => hasKey(removed!)).toBe(false)
    expect(await hasKey(remaining!)).toBe(true)

    await slipway.close()
    expect(await inspectCache(remaining!)).toEqual({ integrity: 'ok', deployments: 3 })
    const unwanted = teams.flatMap((team) => [`${team}-agent`, `secret-of-${team}`])
    for (const file of filesBelow(userData)) {
      const bytes = readFileSync(file)
      for (const text of unwanted) expect(bytes.includes(text), `${text} in ${file}`).toBe(false)
    }
  } finally {
    await stub.close()
  }
})

/** Expects that the current environment's cache is empty, and so has nothing of `old`. */
async function expectNothingOld(page: Page, environmentId: string, old: readonly string[]): Promise<void> {
  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  await expect.poll(async () => (await syncState(page, environmentId)).cache?.deployments).toBe(0)
  await expect(table(page).getByRole('rowheader')).toHaveCount(0)
  const text = await page.locator('body').innerText()
  for (const name of old) expect(text.includes(name), name).toBe(false)
}

const begunAnew = /filled with another base URL, other request headers, or another proxy or certificate rule/

test('shows nothing of the old service once an environment leads to another one', async ({ slipway }) => {
  const headers = [{ name: 'X-Api-Key', value: secretHeader }]
  const { id } = await useEnvironment(slipway.page, { name: 'Harbour', baseUrl: service.url, headers })
  await expect(firstName(slipway.page)).toBeVisible()
  await synchronise(slipway.page, id)
  const old = await table(slipway.page).getByRole('rowheader').getByRole('link').allTextContents()
  expect(old.length).toBeGreaterThan(10)

  // Nothing listens there, so anything shown would come from the cache.
  const away = { id, name: 'Harbour', baseUrl: 'http://127.0.0.1:1', headers }
  await useEnvironment(slipway.page, away)
  await expectNothingOld(slipway.page, id, old)
  expect((await syncState(slipway.page, id)).problem).toMatch(begunAnew)
  await useEnvironment(slipway.page, { ...away, baseUrl: service.url })
  expect((await synchronise(slipway.page, id)).cache?.deployments).toBe(serviceSize)
})

/** The cached deployments from an index on, in the default order or by name. */
async function copyFrom(
  page: Page,
  environmentId: string,
  offset: number,
  by: 'created_at' | 'name' = 'created_at',
): Promise<CachedPage> {
  const query = { filters: {}, search: '', sort: { by, descending: by === 'created_at' } }
  const request = { query, offset, limit: 20, snapshot: null }
  const outcome = await call(page, 'cache.page', { environmentId, request })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure))
  return outcome.value
}

test('scrolls through thousands of cached rows, with the mouse and with the keyboard', async ({
  slipway,
}) => {
  const size = 2_000
  const many = await startService({ mode: 'cloud', sample: size })
  const { page } = slipway
  const id = await addEnvironment(page, 'Harbour', many.url)
  await expect(table(page).getByRole('rowheader').first()).toBeVisible()
  await synchronise(page, id)
  const row = (place: number) => table(page).locator(`tbody tr[aria-rowindex="${place + 2}"]`)
  const link = (place: number) => row(place).getByRole('link')
  await expect(table(page)).toHaveAttribute('aria-rowcount', String(size + 1))
  await expect(link(0)).toHaveText((await copyFrom(page, id, 0)).deployments[0]!.name)

  // Only the rows in view are drawn, with the cached deployments of those indexes.
  const scroller = page.getByRole('group', { name: 'Deployments, scrollable' })
  for (const share of [0.5, 0.9, 0.2]) {
    await scroller.evaluate((element, part) => {
      element.scrollTop = element.scrollHeight * part
    }, share)
    const place = Math.round(size * share) + 3
    await expect(link(place)).toHaveText((await copyFrom(page, id, place)).deployments[0]!.name)
    await expect(row(place)).toBeInViewport()
    expect(await table(page).locator('tbody tr').count()).toBeLessThan(150)
  }

  // Opening one of them and coming back restores the list and the focus.
  const opened = Math.round(size * 0.2) + 3
  const top = await scroller.evaluate((element) => element.scrollTop)
  await link(opened).click()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(link(opened)).toBeFocused()
  await expect(row(opened)).toBeInViewport()
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(top)

  // From a link in a row, the keyboard reaches the first and the last row and never loses the focus.
  await link(Math.round(size * 0.2) + 3).focus()
  await page.keyboard.press('End')
  await expect(link(size - 1)).toBeFocused()
  await expect(link(size - 1)).toBeInViewport()
  await page.keyboard.press('ArrowUp')
  await expect(link(size - 2)).toBeFocused()
  await scroller.evaluate((element) => {
    element.scrollTop = 0
  })
  await expect(link(0)).toBeInViewport()
  await expect(link(size - 2)).toBeFocused()
  await page.keyboard.press('Home')
  await expect(link(0)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(link(1)).toBeFocused()
  await page.keyboard.press('PageDown')
  await expect(link(1)).not.toBeFocused()
  await expect(table(page).getByRole('link').and(page.locator(':focus'))).toBeInViewport()

  // Sorting scrolls the list back to its beginning.
  await scroller.evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2
  })
  await expect(row(size / 2 + 3)).toBeInViewport()
  await table(page).getByRole('button', { name: 'Name' }).click()
  await expect(link(0)).toHaveText((await copyFrom(page, id, 0, 'name')).deployments[0]!.name)
  await expect(link(0)).toBeInViewport()

  const wanted = (await copyFrom(page, id, 1500)).deployments[0]!
  await page.getByRole('textbox', { name: 'Search deployments' }).fill(wanted.id)
  await expect(table(page)).toHaveAttribute('aria-rowcount', '2')
  await expect(link(0)).toHaveText(wanted.name)
  await many.dispose()
})
