import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from '@contract'
import type { Page } from '@playwright/test'
import { decrypt } from '../../../electron/main/files/encryption'
import { addEnvironment, call } from '../support/bridge'
import { callBridge, deploymentsNamed, goTo } from '../support/page/creation'
import { expect, Keyring, test } from '../support/fixtures'
import { keychainEntries } from '../support/keychain/keychain-entries'
import { replaceJournalKey } from '../support/keychain/journal-key'
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

const journalNotice = (page: Page) => page.getByRole('region', { name: 'Journal', exact: true })

test('if the disk gets full in the middle of a line, nothing is sent and no later attempt is lost', async ({
  start,
  userData,
}) => {
  test.skip(process.platform !== 'linux', 'Only Linux has a way to limit the files of a process that runs.')
  test.slow()
  const journal = join(userData, 'journal.jsonl')
  const first = await start()
  expect(await create(first.page, 'before')).toMatchObject({ ok: true })
  const pid = first.app.process().pid!
  const limitFiles = (bytes: number | 'unlimited') =>
    execute('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])

  // The limit raises a signal, which ends a process that doesn't handle it. A full disk raises none.
  await first.app.evaluate(() => void process.on('SIGXFSZ', () => undefined))
  // Room for part of the next line.
  await limitFiles((await stat(journal)).size + 40)
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
  await expect(journalNotice(page)).toHaveCount(0)
})

test.describe('with a keychain whose entries can be replaced', () => {
  test.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')

  test('a journal whose key was replaced is set aside and reported, and a name is looked up before it is sent', async ({
    start,
    userData,
    keyring,
  }) => {
    test.slow()
    const first = await start()
    expect(await create(first.page, 'before')).toMatchObject({ ok: true })
    await first.close()
    const before = await readFile(join(userData, 'journal.jsonl'))
    await replaceJournalKey(userData, keyring)

    for (const time of ['at once', 'after a restart']) {
      const slipway = await start()
      const { page } = slipway
      // Every start lists the files that were set aside before.
      const setAside = page.getByRole('region', { name: 'Files that were set aside' })
      if (time === 'at once') await expect(setAside).toHaveCount(0)
      else await expect(setAside).toContainText('journal.jsonl.unreadable-')
      await expect(journalNotice(page), time).toContainText("The journal's key in the keychain was deleted")
      const refused = await create(page, 'before')
      expect(refused, time).toMatchObject({ ok: false, failure: { code: 'conflict' } })
      expect(await deploymentsNamed(page, 'before'), time).toHaveLength(1)
      expect(await attempts(page), time).toEqual({})
      await goTo(page, 'Activity')
      const row = page.getByRole('table', { name: 'Activity' }).getByRole('row')
      await expect(row.filter({ hasText: 'Read the journal' })).toContainText('Failed')
      await journalNotice(page).getByRole('button', { name: 'Dismiss' }).click()
      await expect(journalNotice(page)).toHaveCount(0)
      await slipway.close()
    }
    const aside = (await readdir(userData)).filter((name) => name.includes('journal.jsonl.unreadable-'))
    expect(aside).toHaveLength(1)
    expect(await readFile(join(userData, aside[0]!))).toEqual(before)
    expect(await readFile(join(userData, 'logs', 'slipway.log'), 'utf8')).toContain("The journal's key")
  })

  test('a journal whose key comes back is read again, and what was set aside meanwhile stays listed', async ({
    start,
    userData,
    keyring,
  }) => {
    test.slow()
    const first = await start()
    expect(await create(first.page, 'before')).toMatchObject({ ok: true })
    await first.close()
    const key = await replaceJournalKey(userData, keyring)
    const meanwhile = await start()
    expect(await create(meanwhile.page, 'meanwhile')).toMatchObject({ ok: true })
    expect(await attempts(meanwhile.page)).toEqual({ meanwhile: 'created' })
    await meanwhile.close()
    const asides = async (): Promise<string[]> =>
      (await readdir(userData)).filter((name) => name.includes('.unreadable-'))
    const [ofFirst] = await asides()

    await replaceJournalKey(userData, keyring, key)
    const back = await start()
    expect(await attempts(back.page)).toEqual({ before: 'created' })
    const setAside = back.page.getByRole('region', { name: 'Files that were set aside' })
    await expect(setAside).toHaveCount(0)
    await back.close()
    const left = await asides()
    expect(left).toHaveLength(1)
    expect(left).not.toContain(ofFirst)

    const again = await start()
    expect(await attempts(again.page)).toEqual({ before: 'created' })
    await expect(again.page.getByRole('region', { name: 'Files that were set aside' })).toContainText(
      left[0]!,
    )
  })
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
    const key = (await entries.get('drafts-key')) ?? ''
    const read = decrypt(await readFile(join(userData, 'drafts.sealed')), key, 'drafts.sealed')
    return read.state === 'read' ? (read.text.match(/draft of \w+/g) ?? []) : [read.state]
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

test('files of a newer version are left unchanged and reported, and everything works', async ({
  start,
  userData,
}) => {
  test.slow()
  const newer = {
    'journal.jsonl': '{"v":9,"what":"ever"}\n',
    'environments.json': '{"version":9,"what":"ever"}',
  }
  for (const [name, text] of Object.entries(newer)) await writeFile(join(userData, name), text)
  const first = await start()
  await expect(journalNotice(first.page)).toContainText('newer version of Slipway')
  await expect(first.page.getByRole('region', { name: 'List of environments' })).toContainText(
    'newer version of Slipway',
  )
  expect(await create(first.page, 'meanwhile')).toMatchObject({ ok: true })
  await first.close()
  const second = await start()
  expect(await attempts(second.page)).toEqual({ meanwhile: 'created' })
  await second.close()
  for (const [name, text] of Object.entries(newer)) {
    expect(await readFile(join(userData, name), 'utf8'), name).toBe(text)
  }
  expect((await readdir(userData)).filter((name) => /damaged|unreadable/.test(name))).toEqual([])
})

test('what is in the place of a file but is none is set aside and reported, and everything works', async ({
  start,
  userData,
}) => {
  test.skip(process.platform === 'win32', 'Windows has no such things in folders.')
  test.slow()
  const pipe = (name: string) => execute('mkfifo', [join(userData, name)])
  await symlink('/dev/zero', join(userData, 'journal.jsonl'))
  await mkdir(join(userData, 'journal.head'))
  await mkdir(join(userData, 'logs'))
  for (const name of ['drafts.sealed', 'environments.json', 'window.json', 'logs/slipway.log'])
    await pipe(name)
  const first = await start()
  await expect(journalNotice(first.page)).toContainText('The journal was changed outside Slipway')
  await expect(journalNotice(first.page)).toContainText('journal.jsonl.damaged-')
  expect(await create(first.page, 'one')).toMatchObject({ ok: true })
  await first.close()
  const second = await start()
  expect(await attempts(second.page)).toEqual({ one: 'created' })
  await second.close()
  expect(await readFile(join(userData, 'logs/slipway.log'), 'utf8')).toContain('Slipway')
})

test('the files of Slipway are inaccessible to other accounts, even if they were open before', async ({
  start,
  userData,
}) => {
  test.skip(process.platform === 'win32', 'Windows has its own rules.')
  const first = await start()
  expect(await create(first.page, 'one')).toMatchObject({ ok: true })
  await first.close()
  const own = [
    'journal.jsonl',
    'journal.head',
    'window.json',
    'logs',
    'logs/slipway.log',
    'built-in-service/cloud',
  ]
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
