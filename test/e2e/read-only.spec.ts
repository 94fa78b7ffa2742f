import { spawn } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { projectFolder } from '../../electron/launcher/places.mjs'
import { expect, test } from './support/fixtures'
import { execute } from './support/processes'
import { inherited } from './support/slipway'

const electron = createRequire(import.meta.url)('electron') as unknown as string

test.skip(process.platform !== 'linux', 'Only Linux keeps the lock as a file in the folder.')

test('a folder that cannot be written to is named, and taken for no Slipway that runs already', async ({
  display,
  userData,
}) => {
  // What keeps root from writing is another thing than what keeps others.
  const isRoot = process.getuid?.() === 0
  const setReadOnly = (readOnly: boolean): Promise<unknown> =>
    isRoot ? execute('chattr', [readOnly ? '+i' : '-i', userData]) : chmod(userData, readOnly ? 0o500 : 0o700)
  await setReadOnly(true)
  // Chromium has no sandbox for root.
  const sandbox = isRoot ? ['--no-sandbox'] : []
  const child = spawn(electron, [...sandbox, `--user-data-dir=${userData}`, projectFolder], {
    env: { ...inherited(), ...display.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (piece: Buffer) => (words += piece.toString()))
  try {
    await expect.poll(() => words).toContain('Slipway cannot write to the folder where it keeps its data.')
    expect(words).toContain(`Make ${userData} writable for you`)
    // The dialog waits to be read.
    expect(child.exitCode).toBeNull()
  } finally {
    child.kill('SIGKILL')
    await setReadOnly(false)
  }
})
