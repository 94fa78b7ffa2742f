import { execFileSync } from 'node:child_process'
import { openSync, closeSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { SyncState } from '@contract/cache'
import { type RunningService, startService } from '../support/service-process'
import { addEnvironment, call, secretHeader } from './support/bridge'
import { test } from './support/fixtures'
import { inspectScreen } from './support/screens'

const serviceSize = 240

let service: RunningService

test.describe.configure({ timeout: 240_000 })

test.beforeEach(async () => {
  service = await startService({ mode: 'cloud', sample: serviceSize })
})

test.afterEach(() => service.dispose())

async function syncState(page: Page, environmentId: string): Promise<SyncState> {
  const outcome = await call(page, 'sync.state', { environmentId })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure))
  return outcome.value
}

/** Synchronises the current environment as a user does, and waits for the end. */
async function synchronise(page: Page, environmentId: string): Promise<SyncState> {
  await page.getByRole('radio', { name: 'Cached', exact: true }).check()
  await page.getByRole('button', { name: 'Synchronise now' }).click()
  await expect
    .poll(async () => (await syncState(page, environmentId)).last?.end, { timeout: 30_000 })
    .toBe('complete')
  return syncState(page, environmentId)
}

const table = (page: Page) => page.getByRole('table', { name: 'Deployments' })
const firstName = (page: Page) => table(page).getByRole('rowheader').first()

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : []
  })
}

test('shows, searches and sorts everything without the service, and notices its return by itself', async ({
  slipway,
  start,
}) => {
  let { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(firstName(page)).toBeVisible()
  const state = await synchronise(page, id)
  expect(state.copy?.deployments).toBe(serviceSize)
  expect(state.kept).toBe('disk')

  const { port } = new URL(service.url)
  const { data } = service
  await service.stop()
  await slipway.close()
  const again = await start()
  page = again.page

  // What is cached shows at once; the failed call then turns the screen to the copy, with its age.
  await expect(firstName(page)).toBeVisible()
  await expect(page.getByText('cannot be reached').first()).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('radio', { name: 'Cached', exact: true })).toBeChecked()
  await expect(page.getByText(/Copy as of/)).toBeVisible()
  await expect(table(page)).toHaveAttribute('aria-rowcount', String(serviceSize + 1))
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

  // A deployment opens from the copy, and says so.
  await firstName(page).getByRole('link').click()
  await expect(page.getByText(/From the local copy/)).toBeVisible({ timeout: 20_000 })
  await page.getByRole('button', { name: 'Back to the list' }).click()

  service = await startService({ mode: 'cloud', data, port: Number(port) })
  await expect(page.getByRole('radio', { name: 'Live', exact: true })).toBeChecked({ timeout: 60_000 })
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Online')
})

test('goes on after the cache process and after the application were killed, with a sound copy', async ({
  slipway,
  start,
}) => {
  let { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(firstName(page)).toBeVisible()
  await call(page, 'sync.start', { environmentId: id })
  const killed = await slipway.app.evaluate(({ app }) => {
    const cache = app
      .getAppMetrics()
      .find(({ name, serviceName }) => name === 'Slipway cache' || serviceName === 'Slipway cache')
    if (cache) process.kill(cache.pid, 'SIGKILL')
    return cache !== undefined
  })
  expect(killed).toBe(true)
  await expect.poll(async () => (await syncState(page, id)).progress, { timeout: 30_000 }).toBeNull()
  const state = await synchronise(page, id)
  expect(state.copy?.deployments).toBe(serviceSize)

  await call(page, 'sync.start', { environmentId: id })
  await slipway.kill()
  const again = await start()
  page = again.page
  await expect.poll(async () => (await syncState(page, id)).copy?.deployments).toBe(serviceSize)
  const after = await synchronise(page, id)
  expect(after.copy?.deployments).toBe(serviceSize)
  expect(after.problem).toBeNull()
})

test('sets a damaged copy aside, says so and goes on', async ({ slipway, start, userData }) => {
  const id = await addEnvironment(slipway.page, 'Harbour', service.url)
  await expect(firstName(slipway.page)).toBeVisible()
  await synchronise(slipway.page, id)
  await slipway.close()

  const file = join(userData, 'cache', `${id}.db`)
  const descriptor = openSync(file, 'r+')
  const { size } = statSync(file)
  for (let at = 0; at < size; at += 1500) writeSync(descriptor, Buffer.from([0x5a]), 0, 1, at)
  closeSync(descriptor)

  const { page } = await start()
  await expect(firstName(page)).toBeVisible()
  await expect(page.getByText(/set aside as/)).toBeVisible({ timeout: 20_000 })
  const state = await synchronise(page, id)
  expect(state.copy?.deployments).toBe(serviceSize)
  expect(readdirSync(join(userData, 'cache')).some((name) => name.includes('.damaged-'))).toBe(true)
})

test('keeps names and secrets out of every file, and removes the copy with the environment', async ({
  slipway,
  userData,
}) => {
  const { page } = slipway
  const id = await addEnvironment(page, 'Harbour', service.url)
  await expect(firstName(page)).toBeVisible()
  const name = (await firstName(page).getByRole('link').textContent())?.trim() ?? ''
  await synchronise(page, id)
  const copy = join(userData, 'cache', `${id}.db`)
  expect(statSync(copy).size).toBeGreaterThan(100_000)
  for (const file of filesBelow(userData)) {
    // The built-in service is a service: what it keeps is its own.
    if (file.includes('built-in-service')) continue
    const bytes = readFileSync(file)
    expect(bytes.includes(name), `${name} in ${file}`).toBe(false)
    expect(bytes.includes(secretHeader), `a header in ${file}`).toBe(false)
  }

  const removed = await call(page, 'environments.remove', { id })
  expect(removed.ok).toBe(true)
  expect(readdirSync(join(userData, 'cache')).filter((file) => file.startsWith(id))).toEqual([])
})

test.describe('without a keychain', () => {
  test.use({ keyringState: 'absent' })

  test('keeps the copy in memory only', async ({ slipway, userData }) => {
    const { page } = slipway
    const id = await addEnvironment(page, 'Harbour', service.url)
    await expect(firstName(page)).toBeVisible()
    const state = await synchronise(page, id)
    expect(state).toMatchObject({ kept: 'memory', copy: { deployments: serviceSize } })
    await expect(page.getByText('kept in memory for this session only').first()).toBeVisible()
    const output = execFileSync('find', [userData, '-name', '*.db', '-path', '*/cache/*'], {
      encoding: 'utf8',
    })
    expect(output).toBe('')
  })
})
