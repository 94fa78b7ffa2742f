import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, lstat, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Outcome } from '@contract'
import type { Page } from '@playwright/test'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { variablesFor } from '../../support/main/variables'
import { addEnvironment, call } from '../support/bridge'
import { setReadOnly } from '../support/files'
import { callBridge, deploymentsNamed, goTo } from '../support/page/creation'
import { expect, Keyring, type Slipway, alone as test } from '../support/fixtures'
import { replaceStateKey } from '../support/keychain'
import { deploymentsTable } from '../support/page/deployments'
import { execute, isRunning, until, utilityProcesses } from '../support/processes'

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

/** Fills the disk as the journal sees it: nothing is sent, and what is sent once there is room is journalled. */
async function fillDisk(slipway: Slipway, userData: string): Promise<void> {
  // Only Linux has a way to limit the files of a process that runs.
  if (process.platform !== 'linux') return
  const [pid] = await utilityProcesses(slipway, 'Slipway cache')
  const limitFiles = (bytes: number | 'unlimited') =>
    execute('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])

  // No room for another page of the database's log.
  await limitFiles((await stat(join(userData, 'state.db-wal'))).size)
  expect(await create(slipway.page, 'full')).toMatchObject({
    ok: false,
    failure: { message: "The journal couldn't be written, so nothing was sent." },
  })
  expect(await deploymentsNamed(slipway.page, 'full')).toEqual([])
  await limitFiles('unlimited')
  expect(await create(slipway.page, 'after')).toMatchObject({ ok: true })
}

test('a full disk keeps a creation from being sent, and what is damaged is set aside, told once, and starts afresh', async ({
  start,
  userData,
  keyring,
}) => {
  await writeFile(join(userData, 'state.db'), 'damaged '.repeat(1_000))
  if (process.platform !== 'win32') await chmod(userData, 0o755)
  const first = await start()
  const told = (page: Page) => page.getByRole('region', { name: "Slipway's data" })
  await expect(told(first.page)).toContainText('its file is damaged')
  expect(await create(first.page, 'one')).toMatchObject({ ok: true })
  await test.step('a full disk', () => fillDisk(first, userData))
  expect(await attempts(first.page)).toEqual(
    process.platform === 'linux' ? { one: 'created', after: 'created' } : { one: 'created' },
  )
  await addEnvironment(first.page, 'Production', 'http://127.0.0.1:9')
  if (process.platform !== 'win32')
    await expect.poll(async () => (await lstat(userData)).mode & 0o077, 'its folder').toBe(0)
  const services = await utilityProcesses(first, 'Slipway built-in service')
  await first.close()

  await writeFile(join(userData, 'environments.json'), '{"version":1,"environ')
  // A service that ends after the window would overwrite the damage.
  await until('the end of the sandboxes', () => Promise.resolve(!services.some(isRunning)))
  const sandbox = join(userData, 'built-in-service', 'cloud')
  for (const name of await readdir(sandbox)) await writeFile(join(sandbox, name), randomBytes(50_000))
  if (Keyring.controllable) await replaceStateKey(userData, keyring)
  const { page } = await start()
  if (Keyring.controllable) {
    await expect(told(page)).toContainText("the keychain doesn't have its key any more")
    expect(await attempts(page)).toEqual({})
  }
  await expect(page.getByText(/The data of Sandbox \(cloud\) was damaged. It was set aside as/)).toBeVisible()
  await page.getByRole('radio', { name: 'Live', exact: true }).check()
  await expect(deploymentsTable(page).getByRole('rowheader')).not.toHaveCount(0)
  expect(await create(page, 'anew')).toMatchObject({ ok: true })
  const folders = await readdir(join(userData, 'built-in-service'))
  expect(folders.filter((name) => name.startsWith('cloud.damaged-'))).toHaveLength(1)

  const said = page.getByRole('region', { name: 'Files that were set aside' })
  await expect(said).toContainText('environments.json.damaged-')
  await expect(said).toContainText('enter them again')
  await addEnvironment(page, 'Production', 'http://127.0.0.1:9')
  await goTo(page, 'Environments')
  const table = page.getByRole('table', { name: 'Environments' })
  await expect(table.getByRole('row', { name: /Production/ })).toContainText('http://127.0.0.1:9')
})

const onLinux = 'Only Linux keeps the lock as a file in the folder.'
const electron = createRequire(import.meta.url)('electron') as unknown as string
const isRoot = process.getuid?.() === 0

/** Starts the application as an operator would, with these variables. `words` returns its standard error. */
function startBare(
  args: string[],
  variables: NodeJS.ProcessEnv,
): { child: ChildProcess; words: () => string } {
  // Chromium has no sandbox for root.
  const sandbox = isRoot ? ['--no-sandbox'] : []
  const child = spawn(electron, [...sandbox, ...args, projectFolder], {
    env: variablesFor(variables),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (piece: Buffer) => (words += piece.toString()))
  return { child, words: () => words }
}

test('folders that cannot be are reported: read-only, no home, a file in their place, none for temporary files', async ({
  display,
  userData,
}) => {
  test.skip(process.platform !== 'linux', onLinux)
  const file = join(userData, 'no-folder')
  await writeFile(file, '')
  await test.step('one that cannot be written to', async () => {
    const isKept = await setReadOnly(userData, true)
    // Nothing keeps root from writing on some file systems.
    if (!isKept) return
    const { child, words } = startBare([`--user-data-dir=${userData}`], display.environment)
    try {
      await expect.poll(words).toContain("Slipway can't write to the folder where it keeps its data.")
      await expect.poll(words).toContain(`Make ${userData} writable for you`)
      // The dialog waits to be read.
      expect(child.exitCode).toBeNull()
    } finally {
      child.kill('SIGKILL')
      await setReadOnly(userData, false)
    }
  })
  await test.step('a home folder that leads nowhere', async () => {
    const variables = { HOME: '/proc/nobody', XDG_CONFIG_HOME: undefined }
    const { child, words } = startBare([], { ...display.environment, ...variables })
    try {
      await expect.poll(words).toContain('Slipway has no folder to keep its data in.')
      // No dialog: Chromium crashes without a folder.
      await expect.poll(() => child.exitCode).toBe(1)
    } finally {
      child.kill('SIGKILL')
    }
  })
  await test.step('a file in its place ends an unattended start with status 1', async () => {
    const { child, words } = startBare([`--user-data-dir=${file}`], {
      ...display.environment,
      SLIPWAY_TELL_FIRST_LIST: '1',
    })
    try {
      await expect.poll(() => child.exitCode).toBe(1)
      await expect.poll(words).toContain(`${file} is not a folder. Move away what is in its place`)
    } finally {
      child.kill('SIGKILL')
    }
  })
  await test.step("instead of one for temporary files, the system's is used", async () => {
    const { child, words } = startBare([`--user-data-dir=${userData}`], {
      ...display.environment,
      TMPDIR: join(file, 'folder'),
    })
    try {
      await expect
        .poll(words)
        .toContain(
          "Slipway uses the system's folder for temporary files: nothing can be written to the one in TMPDIR (ENOTDIR).",
        )
      await expect
        .poll(() => readFile(join(userData, 'logs/slipway.log'), 'utf8').catch(() => ''), {
          message: words(),
        })
        .toContain('begins')
      expect(child.exitCode).toBeNull()
    } finally {
      child.kill('SIGKILL')
    }
  })
})

test('neither an objection nor an endless loop of the page keeps it from quitting, and a start meanwhile is repeated', async ({
  display,
  userData,
  slipway,
}) => {
  test.skip(process.platform !== 'linux', onLinux)
  slipway.expectErrors(/renderer crashed/)
  const first = slipway.app.process()
  /** The process that uses the folder. The lock names it: "host-1234". */
  const owner = async (): Promise<number> =>
    Number(/\d+$/.exec(await readlink(join(userData, 'SingletonLock')).catch(() => ''))?.[0])
  expect(await owner()).toBe(first.pid)
  const ended = new Promise<number | null>((resolve) => first.once('exit', resolve))
  // Quitting waits for a page that hangs, and which objects to it. It may only object after a click in it.
  await slipway.page.getByRole('heading', { level: 1 }).click()
  await slipway.page.evaluate(() => {
    window.onbeforeunload = (event) => {
      event.preventDefault()
      return (event.returnValue = 'stay')
    }
    window.addEventListener('unload', () => undefined)
    setTimeout(() => {
      for (;;);
    })
  })
  await slipway.app.evaluate(({ app }) => app.quit()).catch(() => undefined)
  const second = startBare([`--user-data-dir=${userData}`], display.environment)
  // It would go on if the first had already ended.
  await expect.poll(() => second.child.exitCode, second.words()).toBe(0)
  expect(await ended).toBe(0)

  await expect.poll(owner, 'the one that was started again').toBeGreaterThan(0)
  const again = await owner()
  expect([first.pid, second.child.pid]).not.toContain(again)
  process.kill(again, 'SIGKILL')
  await expect.poll(() => isRunning(again)).toBe(false)
})
