import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { endWithoutLock } from '../../../../electron/main/user-folder'

const electron = vi.hoisted(() => ({
  app: { quit: vi.fn(), exit: vi.fn(), whenReady: () => Promise.resolve() },
  dialog: { showMessageBox: vi.fn(() => Promise.resolve()) },
}))
vi.mock('electron', () => electron)

const base = mkdtempSync(join(tmpdir(), 'slipway-user-folder-'))
const file = join(base, 'file')
writeFileSync(file, '')
afterAll(() => rmSync(base, { recursive: true }))

let said: string[]

beforeEach(() => {
  vi.clearAllMocks()
  said = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it('a start that another Slipway goes before ends without a word', () => {
  endWithoutLock(join(base, 'data'))
  expect(electron.app.quit).toHaveBeenCalled()
  expect(said).toEqual([])
})

it.each([
  ['the folder with the data', join(file, 'data'), tmpdir(), 'where it keeps its data'],
  ['the folder for temporary files', join(base, 'data'), join(file, 'temporary'), 'for temporary files'],
])('a start that cannot write to %s says so, and ends with 1', async (_what, data, temporary, words) => {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
  endWithoutLock(data)
  expect(said).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Slipway cannot write to the folder ${words}\\. Make .* writable for you, .* \\([A-Z]+\\)\\n$`,
      ),
    ),
  ])
  await vi.waitFor(() => expect(electron.app.exit).toHaveBeenCalledWith(1))
  expect(electron.dialog.showMessageBox).toHaveBeenCalledTimes(1)
  expect(electron.app.quit).not.toHaveBeenCalled()
})
