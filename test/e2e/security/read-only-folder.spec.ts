import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, readlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { alone as test, expect } from '../support/fixtures'
import { setReadOnly } from '../support/files/read-only-folder'
import { isRunning } from '../support/utility-processes'
import { variablesFor } from '../../support/main/variables'

const electron = createRequire(import.meta.url)('electron') as unknown as string
const isRoot = process.getuid?.() === 0

test.skip(process.platform !== 'linux', 'Only Linux keeps the lock as a file in the folder.')

/** Starts the application as an operator would, with these variables. `words` returns its standard error. */
function start(args: string[], variables: NodeJS.ProcessEnv): { child: ChildProcess; words: () => string } {
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

test('a folder that cannot be written to is reported, and not mistaken for a running Slipway', async ({
  display,
  userData,
}) => {
  const isKept = await setReadOnly(userData, true)
  test.skip(!isKept, 'Nothing keeps root from writing on this file system.')
  const { child, words } = start([`--user-data-dir=${userData}`], display.environment)
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

const homes = { 'leads nowhere': '/proc/nobody', 'is empty': '', 'is relative': 'relative-home' }

test('folders that cannot be are reported: no home, a file in their place, none for temporary files', async ({
  display,
  userData,
}) => {
  const file = join(userData, 'no-folder')
  await writeFile(file, '')
  for (const [how, home] of Object.entries(homes)) {
    await test.step(`a home folder that ${how}`, async () => {
      const variables = { HOME: home, XDG_CONFIG_HOME: undefined }
      const { child, words } = start([], { ...display.environment, ...variables })
      try {
        await expect.poll(words).toContain('Slipway has no folder to keep its data in.')
        // No dialog: Chromium crashes without a folder.
        await expect.poll(() => child.exitCode).toBe(1)
      } finally {
        child.kill('SIGKILL')
      }
    })
  }
  await test.step('a file in its place ends an unattended start with status 1', async () => {
    const { child, words } = start([`--user-data-dir=${file}`], {
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
    const { child, words } = start([`--user-data-dir=${userData}`], {
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

test('a start while Slipway is still quitting is repeated once that has ended', async ({
  display,
  userData,
  slipway,
}) => {
  slipway.expectErrors(/renderer crashed/)
  const first = slipway.app.process()
  /** The process that uses the folder. The lock names it: "host-1234". */
  const owner = async (): Promise<number> =>
    Number(/\d+$/.exec(await readlink(join(userData, 'SingletonLock')).catch(() => ''))?.[0])
  expect(await owner()).toBe(first.pid)
  const ended = new Promise<number | null>((resolve) => first.once('exit', resolve))
  // Quitting waits for a page that hangs.
  await slipway.page.evaluate(() => {
    window.addEventListener('unload', () => undefined)
    setTimeout(() => {
      for (;;);
    })
  })
  await slipway.app.evaluate(({ app }) => app.quit()).catch(() => undefined)
  const second = start([`--user-data-dir=${userData}`], display.environment)
  // It would go on if the first had already ended.
  await expect.poll(() => second.child.exitCode, second.words()).toBe(0)
  expect(await ended).toBe(0)

  await expect.poll(owner, 'the one that was started again').toBeGreaterThan(0)
  const again = await owner()
  expect([first.pid, second.child.pid]).not.toContain(again)
  process.kill(again, 'SIGKILL')
  await expect.poll(() => isRunning(again)).toBe(false)
})
