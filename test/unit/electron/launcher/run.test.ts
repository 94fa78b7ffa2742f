import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { inProject } from '../../../../electron/launcher/base.mjs'
import { temporaryFolder } from '../../../support/temporary-folder'

/** Runs a command of the launcher in a checkout, with some variables; undefined removes one. */
function launch(
  checkout: string,
  args: readonly string[],
  variables: Record<string, string | undefined> = {},
  stdout: 'pipe' | number = 'pipe',
) {
  return spawnSync(process.execPath, [join(checkout, 'electron/launcher/run.mjs'), ...args], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', stdout, 'pipe'],
    encoding: 'utf8',
  })
}

describe('the first step, in a checkout of two packages and with a stub of npm', () => {
  let checkout: string
  const write = (path: string, content: string | object): void => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const tsx = { version: '4.0.0', integrity: 'sha512-a' }
  const native = { version: '1.0.0', integrity: 'sha512-b', optional: true }

  beforeEach(() => {
    checkout = temporaryFolder()
    for (const file of ['base.mjs', 'run.mjs']) {
      cpSync(inProject('electron/launcher', file), join(checkout, 'electron/launcher', file))
    }
    write('electron/launcher/commands', 'export const runCommand = (...words) => console.log(words) ?? 7')
    write('package.json', { type: 'module', engines: { node: '>=20.19' } })
    write('package-lock.json', {
      packages: { '': {}, 'node_modules/tsx': tsx, 'node_modules/native-darwin': native },
    })
    // "Installs" tsx, and records how it was called.
    write(
      'npm-cli.js',
      `import { cpSync, writeFileSync } from 'node:fs'
       writeFileSync('called', process.argv.slice(2).join(' '))
       if (process.env.NPM_SAYS) { console.error(process.env.NPM_SAYS); process.exit(1) }
       cpSync('stub', 'node_modules', { recursive: true })`,
    )
    write('stub/tsx/package.json', { name: 'tsx', type: 'module', exports: { './esm/api': './api.js' } })
    write('stub/tsx/api.js', 'export const register = () => undefined')
    write('stub/.package-lock.json', { packages: { 'node_modules/tsx': tsx } })
  })

  const run = (variables: Record<string, string> = {}) =>
    launch(checkout, ['start', '--x'], { npm_execpath: join(checkout, 'npm-cli.js'), ...variables })
  const wasCalled = (): boolean => existsSync(join(checkout, 'called'))

  it('installs by the lockfile, then runs the command', () => {
    const { status, stdout, stderr } = run()
    expect({ status, stdout, stderr }).toMatchObject({ status: 7, stdout: "[ 'start', [ '--x' ] ]\n" })
    expect(readFileSync(join(checkout, 'called'), 'utf8')).toMatch(/^ci --include=dev /)
  })

  it('installs nothing if exactly these packages are there, without those for other platforms', () => {
    cpSync(join(checkout, 'stub'), join(checkout, 'node_modules'), { recursive: true })
    expect(run().status).toBe(7)
    expect(wasCalled()).toBe(false)
  })

  it.each([
    ['other contents', { packages: { 'node_modules/tsx': { ...tsx, integrity: 'sha512-z' } } }],
    ['one too many', { packages: { 'node_modules/tsx': tsx, 'node_modules/left-over': tsx } }],
    ['an interrupted installation', ''],
  ])('installs again after %s', (_, record) => {
    cpSync(join(checkout, 'stub'), join(checkout, 'node_modules'), { recursive: true })
    write('node_modules/.package-lock.json', record)
    expect(run().status).toBe(7)
    expect(wasCalled()).toBe(true)
  })

  it('says what to do if npm cannot reach its registry, or fails otherwise', () => {
    const { status, stderr } = run({ NPM_SAYS: 'npm error code ENOTFOUND' })
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /cannot go on\. npm ci cannot reach npm's registry\.\n {4}npm error code ENOTFOUND\n/,
    )
    expect(stderr).toMatch(/what to do: check the network connection/)
    expect(run({ NPM_SAYS: 'no space' }).stderr).toMatch(/npm ci ended with status 1\.\n {4}no space/)
  })

  it('empties no other checkout through a link', () => {
    mkdirSync(join(checkout, 'other'))
    symlinkSync(join(checkout, 'other'), join(checkout, 'node_modules'))
    const { status, stderr } = run()
    expect(status).toBe(1)
    expect(stderr).toContain('node_modules is a link to')
    expect(wasCalled()).toBe(false)
  })

  it('refuses a Node that is too old', () => {
    write('package.json', { type: 'module', engines: { node: '>=99.2' } })
    const { status, stderr } = run()
    expect(status).toBe(1)
    expect(stderr).toMatch(/needs Node 99\.2 or newer; this is Node \d/)
    expect(wasCalled()).toBe(false)
  })
})

const project = inProject()

describe.runIf(process.platform === 'linux')('npm start', () => {
  it('with a display that does not answer says what to do', () => {
    const { status, stderr, stdout } = launch(project, ['start'], {
      DISPLAY: ':987',
      WAYLAND_DISPLAY: undefined,
    })
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('DISPLAY is :987, but no display answers there')
    expect(stderr).toContain('env -u DISPLAY npm start')
  })

  it('names a wrong ELECTRON_EXEC_PATH, and goes on if nobody reads its output', () => {
    const missing = join(temporaryFolder(), 'no-electron')
    const variables = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, ELECTRON_EXEC_PATH: missing }
    const { status, stderr } = launch(project, ['start'], variables, openSync('/dev/full', 'w'))
    expect(stderr).toContain(`ELECTRON_EXEC_PATH points at ${missing}, which does not exist`)
    expect(stderr).not.toContain('ENOSPC')
    expect(status).toBe(1)
  })
})

it('npm test refuses arguments that belong to no suite', () => {
  const { status, stderr } = launch(project, ['test', '--bail'])
  expect(status).toBe(1)
  expect(stderr).toContain('name one suite before it: typecheck, lint, faults, unit, postgres, service, e2e')
})
