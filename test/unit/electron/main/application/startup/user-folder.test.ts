import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endWithoutLock, userFolder } from '../../../../../../electron/main/application/startup/user-folder'

const electron = vi.hoisted(() => ({
  app: {
    quit: vi.fn(),
    exit: vi.fn(),
    whenReady: () => Promise.resolve(),
    commandLine: { getSwitchValue: vi.fn(() => '') },
    getPath: vi.fn(() => '/data/slipway'),
  },
  dialog: { showMessageBox: vi.fn(() => Promise.resolve()) },
}))
vi.mock('electron', () => electron)

const onLinux = process.platform === 'linux'
const base = mkdtempSync(join(tmpdir(), 'slipway-user-folder-'))
const data = join(base, 'data')
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

it('a start while Slipway is running exits and says so, with advice in case its window is not visible', () => {
  endWithoutLock(data)
  if (onLinux) symlinkSync('this-host-1234', join(data, 'SingletonLock'))
  endWithoutLock(data)
  expect(electron.app.quit).toHaveBeenCalledTimes(2)
  const words =
    "Its window comes to the front. If it was started without a display, you can't see it: end it first"
  expect(said).toEqual([
    expect.stringContaining(`Slipway is already running. ${words}`),
    expect.stringContaining(`Slipway is already running${onLinux ? ', as process 1234' : ''}. ${words}`),
  ])
})

const writable = 'Make .* writable for you, or make room on its disk, .* \\(ENOENT\\)'
const move = '.* is not a folder\\. Move away what is in its place, .* \\((?:EEXIST|ENOTDIR)\\)'

const obstacles: [how: string, folder: string, advice: string][] = [
  ['with a file in its place', file, move],
  ['with a file above it', join(file, 'folder'), move],
]
if (onLinux) obstacles.push(['with no room', '/proc/nobody', writable])

describe.each([
  ['the folder with the data', (folder: string) => [folder, tmpdir()] as const, 'where it keeps its data'],
  ['the folder for temporary files', (folder: string) => [data, folder] as const, 'for temporary files'],
])('a start that cannot write to %s', (_what, folders, words) => {
  it.each(obstacles)('%s says so, and exits with 1', async (_how, folder, advice) => {
    const [userData, temporary] = folders(folder)
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
    endWithoutLock(userData)
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`^Slipway can't write to the folder ${words}\\. ${advice}\\n$`)),
    ])
    await vi.waitFor(() => expect(electron.app.exit).toHaveBeenCalledWith(1))
    expect(electron.dialog.showMessageBox).toHaveBeenCalledTimes(1)
    expect(electron.app.quit).not.toHaveBeenCalled()
  })
})

describe.runIf(onLinux)('the folder with the user data', () => {
  it.each([
    ['no HOME', { HOME: undefined, XDG_CONFIG_HOME: undefined }],
    ['an empty HOME', { HOME: '', XDG_CONFIG_HOME: '' }],
    ['a relative HOME', { HOME: 'home', XDG_CONFIG_HOME: undefined }],
    ['a relative XDG_CONFIG_HOME', { HOME: '/home/user', XDG_CONFIG_HOME: 'config' }],
  ])("doesn't exist with %s, and nothing is created", (_what, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    expect(userFolder()).toBeNull()
    expect(electron.app.getPath).not.toHaveBeenCalled()
  })

  it.each([
    ['HOME', { HOME: '/home/user', XDG_CONFIG_HOME: undefined }, ''],
    ['XDG_CONFIG_HOME', { HOME: undefined, XDG_CONFIG_HOME: '/data' }, ''],
    ['--user-data-dir', { HOME: undefined, XDG_CONFIG_HOME: undefined }, 'data'],
  ])('is the one of %s', (_what, variables, folderSwitch) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    electron.app.commandLine.getSwitchValue.mockReturnValueOnce(folderSwitch)
    expect(userFolder()).toBe('/data/slipway')
  })
})
