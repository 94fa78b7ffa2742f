import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { userFolder } from '../../../../../electron/main/application/user-folder'

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

const writable = 'Make .* writable for you, or make room on its disk, .* \\(ENOENT\\)'
const move = '.* is not a folder\\. Move away what is in its place, .* \\((?:EEXIST|ENOTDIR)\\)'

const obstacles: [how: string, folder: string, advice: string][] = [
  ['with a file in its place', file, move],
  ['with a file above it', join(file, 'folder'), move],
]
if (onLinux) obstacles.push(['with no room', '/proc/nobody', writable])

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
