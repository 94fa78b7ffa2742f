import { randomUUID } from 'node:crypto'
import { chmod, lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from '@contract'
import type { Page } from '@playwright/test'
import { addEnvironment, call } from '../support/bridge'
import { callBridge, deploymentsNamed, goTo } from '../support/page/creation'
import { expect, Keyring, alone as test } from '../support/fixtures'
import { keychainEntries } from '../support/keychain/keychain-entries'
import { readState } from '../support/files/state-file'
import { replaceStateKey } from '../support/keychain/state-key'
import { utilityProcesses } from '../support/utility-processes'
import { execute } from '../support/processes'

function create(page: Page, name: string): Promise<Outcome<unknown>> {
  const request = {
    name,
    source: 'internal_docker',
    source_config: {},
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  }
  return callBridge(page, 'deployments.create', { request, confirmedName: null })
}

/** The attempts in the journal by name, with their states. */
async function attempts(page: Page): Promise<Record<string, string>> {
  const listed = await call(page, 'journal.list', { limit: 100 })
  if (!listed.ok) throw new Error(listed.failure.message)
  return Object.fromEntries(
    listed.value.flatMap((entry) => (entry.kind === 'creation' ? [[entry.name, entry.state]] : [])),
  )
}

test('if the disk gets full, nothing is sent and no later attempt is lost', async ({ start, userData }) => {
  test.skip(process.platform !== 'linux', 'Only Linux has a way to limit the files of a process that runs.')
  test.slow()
  const first = await start()
  expect(await create(first.page, 'before')).toMatchObject({ ok: true })
  const [pid] = await utilityProcesses(first, 'Slipway cache')
  const limitFiles = (bytes: number | 'unlimited') =>
    execute('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])

  // No room for another page of the database's log.
  await limitFiles((await stat(join(userData, 'state.db-wal'))).size)
  expect(await create(first.page, 'full')).toMatchObject({
    ok: false,
    failure: { message: "The journal couldn't be written, so nothing was sent." },
  })
  expect(await deploymentsNamed(first.page, 'full')).toEqual([])
  await limitFiles('unlimited')
  expect(await create(first.page, 'after')).toMatchObject({ ok: true })
  await first.kill()

  const { page } = await start()
  expect(await attempts(page)).toEqual({ before: 'created', after: 'created' })
})

test.describe('with a keychain whose entries can be replaced', () => {
  test.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')

  test('data whose key was replaced is set aside, told once, and everything starts afresh', async ({
    start,
    userData,
    keyring,
  }) => {
    test.slow()
    const first = await start()
    expect(await create(first.page, 'before')).toMatchObject({ ok: true })
    await first.close()
    await replaceStateKey(userData, keyring)

    const second = await start()
    const told = second.page.getByRole('region', { name: "Slipway's data" })
    await expect(told).toContainText("the keychain doesn't have its key any more")
    expect(await attempts(second.page)).toEqual({})
    expect(await create(second.page, 'after')).toMatchObject({ ok: true })
    await second.close()
    expect((await readdir(userData)).filter((name) => /^state\.db\.damaged-.*Z$/.test(name))).toHaveLength(1)

    const { page } = await start()
    expect(await attempts(page)).toEqual({ after: 'created' })
    await expect(page.getByRole('region', { name: 'Files that were set aside' })).toContainText(
      'state.db.damaged-',
    )
    await expect(page.getByRole('region', { name: "Slipway's data" })).toHaveCount(0)
  })
})

test('a damaged file is renamed and told once, and everything starts afresh', async ({ start, userData }) => {
  await writeFile(join(userData, 'state.db'), 'damaged '.repeat(1_000))
  const { page } = await start()
  await expect(page.getByRole('region', { name: "Slipway's data" })).toContainText('its file is damaged')
  expect(await create(page, 'one')).toMatchObject({ ok: true })
  expect(await attempts(page)).toEqual({ one: 'created' })
})

test('the next start deletes what a crash left of a removed environment, and nothing else', async ({
  start,
  userData,
}) => {
  test.slow()
  const first = await start()
  const ids: Record<string, string> = {}
  for (const name of ['Stays', 'Gone', 'Unlisted']) {
    const environmentId = await addEnvironment(first.page, name, 'http://127.0.0.1:9')
    ids[name] = environmentId
    const content = { entered: { name: `draft of ${name}`, secrets: [] } }
    const draft = { id: randomUUID(), content, notes: null, sentAt: null }
    const saved = await call(first.page, 'drafts.save', { environmentId, draft, current: true })
    expect(saved).toMatchObject({ ok: true })
    expect(await call(first.page, 'sync.state', { environmentId })).toMatchObject({
      value: { storage: 'disk' },
    })
  }
  const { Stays, Gone, Unlisted } = ids as { Stays: string; Gone: string; Unlisted: string }
  // As after a crash: the keychain's entry is removed before the one in the list. Another environment is in no list,
  // as after an older list was restored, but its entry exists.
  expect(await keychainEntries(first, userData).delete(Gone)).toBe(true)
  await first.close()
  const path = join(userData, 'environments.json')
  const list = JSON.parse(await readFile(path, 'utf8')) as { environments: { id: string }[] }
  expect(list.environments).toHaveLength(3)
  list.environments = list.environments.filter(({ id }) => id === Stays)
  await writeFile(path, JSON.stringify(list))

  const second = await start()
  const entries = keychainEntries(second, userData)
  const cached = async (): Promise<string[]> => {
    const names = await readdir(join(userData, 'cache'))
    return [Stays, Gone, Unlisted].filter((id) => names.some((name) => name.startsWith(id)))
  }
  const drafted = async (): Promise<string[]> => {
    const rows = readState(userData, 'drafts', await entries.get('state-key'))
    return JSON.stringify(rows).match(/draft of \w+/g) ?? []
  }
  await expect.poll(cached).toEqual([Stays, Unlisted])
  await expect.poll(drafted).toEqual(['draft of Stays', 'draft of Unlisted'])
  await expect.poll(() => entries.get(`cache-key-${Gone}`)).toBeNull()
  expect(await entries.get(`cache-key-${Unlisted}`)).not.toBeNull()
  const state = await call(second.page, 'app.state', {})
  expect(state.ok && state.value.environments.map(({ name }) => name)).toEqual([
    'Sandbox (cloud)',
    'Sandbox (self-hosted)',
    'Stays',
    'Unlisted',
  ])
})

test('environments are listed again, with their drafts, if their list is missing', async ({
  start,
  userData,
}) => {
  const first = await start()
  const environmentId = await addEnvironment(first.page, 'Production', 'http://127.0.0.1:9')
  const other = await addEnvironment(first.page, 'Never used', 'http://127.0.0.1:9')
  const draft = {
    id: randomUUID(),
    content: { entered: { name: 'kept', secrets: [] } },
    notes: null,
    sentAt: null,
  }
  expect(await call(first.page, 'drafts.save', { environmentId, draft, current: true })).toMatchObject({
    ok: true,
  })
  await first.close()
  await rm(join(userData, 'environments.json'))

  const { page } = await start()
  const said = page.getByRole('region', { name: 'List of environments' })
  await expect(said).toContainText('2 environments were not in it, but in the keychain')
  await goTo(page, 'Environments')
  const table = page.getByRole('table', { name: 'Environments' })
  for (const name of ['Production', 'Never used'])
    await expect(table.getByRole('row', { name: new RegExp(name) })).toContainText('http://127.0.0.1:9')
  const drafts = await call(page, 'drafts.list', { environmentId })
  expect(JSON.stringify(drafts)).toContain('kept')
  // Removed ones stay removed.
  expect(await call(page, 'environments.remove', { id: other, confirmedName: null })).toMatchObject({
    ok: true,
  })
})

test('the files of Slipway are inaccessible to other accounts, even if they were open before', async ({
  start,
  userData,
}) => {
  test.skip(process.platform === 'win32', 'Windows has its own rules.')
  const first = await start()
  expect(await create(first.page, 'one')).toMatchObject({ ok: true })
  await first.close()
  const own = ['state.db', 'window.json', 'logs', 'logs/slipway.log', 'built-in-service/cloud']
  await chmod(userData, 0o755)
  for (const name of own) await chmod(join(userData, name), 0o755)
  const slipway = await start()
  const open = async (): Promise<string[]> => {
    const names = ['.', ...own, 'built-in-service/cloud/deployments.sqlite']
    const modes = await Promise.all(
      names.map(async (name) => (await lstat(join(userData, name))).mode & 0o077),
    )
    return names.filter((_, index) => modes[index] !== 0)
  }
  await expect.poll(open, { timeout: 30_000 }).toEqual([])
  await slipway.close()
  expect(await open()).toEqual([])
})
