import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { inProject, userCacheFolder } from '../../../../../electron/launcher/base/paths.mjs'
import { environmentFor } from '../../../../../electron/launcher/engine/electron-binary.mjs'
import { checkNodeVersion } from '../../../../../electron/launcher/base/node-version.mjs'

const folder = mkdtempSync(join(tmpdir(), 'slipway-launcher-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a launcher command as npm does, with some variables changed; undefined removes one. */
function launch(script: string, changes: Record<string, string | undefined>, ...args: string[]) {
  const env = { ...process.env, ...changes }
  return spawnSync(process.execPath, [inProject('electron/launcher/commands', script), ...args], {
    env,
    encoding: 'utf8',
  })
}

describe('the Node version', () => {
  it.each(['18.20.0', '20.18.3', '4.0.0'])('refuses %s, with the version that is needed', (version) => {
    expect(() => checkNodeVersion(version)).toThrow(/needs Node 20\.19 or newer/)
  })

  it.each(['20.19.0', '22.0.0', '25.1.0'])('accepts %s', (version) => {
    expect(() => checkNodeVersion(version)).not.toThrow()
  })
})

describe('npm start', () => {
  it.runIf(process.platform === 'linux')('with a display that does not answer says what to do', () => {
    const { status, stderr, stdout } = launch('start.mjs', { DISPLAY: ':987', WAYLAND_DISPLAY: undefined })
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('DISPLAY is :987, but no display answers there')
    expect(stderr).toContain('env -u DISPLAY npm start')
  })

  it.runIf(process.platform === 'linux')('continues if nobody reads its output', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(
      process.execPath,
      [inProject('electron/launcher/commands/start.mjs')],
      {
        env: {
          ...process.env,
          DISPLAY: '',
          WAYLAND_DISPLAY: '',
          ELECTRON_EXEC_PATH: join(folder, 'no-electron'),
        },
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      },
    )
    closeSync(full)
    expect(stderr).toContain('ELECTRON_EXEC_PATH points at')
    expect(stderr).not.toContain('ENOSPC')
    expect(status).toBe(1)
  })

  it.runIf(process.platform === 'linux')('names a wrong ELECTRON_EXEC_PATH', () => {
    const missing = join(folder, 'no-electron')
    const { status, stderr } = launch('start.mjs', {
      DISPLAY: undefined,
      WAYLAND_DISPLAY: undefined,
      ELECTRON_EXEC_PATH: missing,
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`ELECTRON_EXEC_PATH points at ${missing}, which does not exist`)
  })
})

describe('the environment of Electron', () => {
  it('has what finds the binary, and nothing that runs it as Node', () => {
    vi.stubEnv('ELECTRON_RUN_AS_NODE', '1')
    const environment = environmentFor({ path: '/electron/electron', origin: 'environment' })
    vi.unstubAllEnvs()
    expect(environment).toMatchObject({
      ELECTRON_EXEC_PATH: '/electron/electron',
      ELECTRON_OVERRIDE_DIST_PATH: '/electron',
      PATH: process.env['PATH'],
    })
    expect(environment).not.toHaveProperty('ELECTRON_RUN_AS_NODE')
  })
})

describe('npm test', () => {
  it('refuses arguments that belong to no suite', () => {
    const { status, stderr } = launch('test.mjs', {}, '--bail')
    expect(status).toBe(1)
    expect(stderr).toContain(
      'name one suite before it: typecheck, lint, unit, service, postgres, faults, e2e, packages',
    )
  })
})

describe('the user’s cache folder', () => {
  it('follows each platform’s custom', () => {
    expect(userCacheFolder({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe(join('/x', 'slipway'))
    expect(userCacheFolder({}, 'linux')).toMatch(/\.cache.slipway$/)
    expect(userCacheFolder({}, 'darwin')).toMatch(/Caches.slipway$/)
    expect(userCacheFolder({ LOCALAPPDATA: 'C:/l' }, 'win32')).toBe(join('C:/l', 'slipway', 'Cache'))
  })
})
