import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inProject } from '../../electron/launcher/base/paths.mjs'
import { temporaryFolder } from '../support/temporary-folder'

// Builds the Linux packages and lives with them: on a Debian-like machine, as root, which installs and removes them.

const name = 'slipway-trial'
const folder = temporaryFolder()
const inFolder = (...parts: string[]): string => join(folder, ...parts)
const nobody = 65534
const children: ChildProcess[] = []

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', GNUPGHOME: inFolder('gnupg') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const made = { deb: '', rpm: '', tar: '', service: '' }

beforeAll(() => {
  run(
    'apt-get',
    'install',
    '-y',
    '--no-install-recommends',
    'lintian',
    'xvfb',
    'xauth',
    'dbus',
    'desktop-file-utils',
  )
  mkdirSync(inFolder('gnupg'), { mode: 0o700 })
  const key = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', '']
  run('gpg', ...key, '--quick-generate-key', 'packages@test.invalid', 'ed25519', 'sign', 'never')
  const packages = run(
    process.execPath,
    inProject('electron/launcher/commands/package.mjs'),
    ...['--trial', '--deb', '--rpm', '--tar'],
    ...['--repository', inFolder('repository'), '--sign', 'packages@test.invalid'],
  )
  const service = run(process.execPath, inProject('electron/launcher/commands/service-package.mjs'), '--deb')
  const files = `${packages}${service}`.split('\n')
  const ending = (end: string): string => files.find((file) => file.endsWith(end))!
  made.deb = ending('amd64.deb')
  made.rpm = ending('.rpm')
  made.tar = ending('.tar.gz')
  made.service = files.find((file) => /slipway-service_.*\.deb$/.test(file))!
}, 900_000)
afterAll(() => {
  for (const child of children) if (child.pid) process.kill(-child.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A copy of a deb with another version. */
function olderThan(deb: string): string {
  const root = inFolder('older')
  rmSync(root, { recursive: true, force: true })
  run('dpkg-deb', '--raw-extract', deb, root)
  const control = join(root, 'DEBIAN/control')
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 0.0.1'))
  run('dpkg-deb', '--root-owner-group', '-Znone', '--build', root, inFolder('older.deb'))
  return inFolder('older.deb')
}

/** Runs a command as an ordinary user with a display and a session bus. */
function startAs(home: string, words: readonly string[]): { output: () => string; child: ChildProcess } {
  mkdirSync(join(home, 'runtime'), { recursive: true, mode: 0o700 })
  run('chown', '-R', `${nobody}:${nobody}`, home)
  const child = spawn('xvfb-run', ['-a', 'dbus-run-session', '--', ...words], {
    cwd: home,
    uid: nobody,
    gid: nobody,
    detached: true,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      XDG_RUNTIME_DIR: join(home, 'runtime'),
      SLIPWAY_TELL_FIRST_LIST: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (text += piece.toString()))
  return { output: () => text, child }
}

/** Starts the application until it shows a list, opens a link in it by the second start, and ends it. */
async function showsList(command: string, home: string): Promise<void> {
  const link = 'slipway://open/Sandbox%20(cloud)'
  const script = `${command} & first=$!
    while ! grep -q 'window is open' "$HOME/told" 2>/dev/null; do sleep 0.2; kill -0 $first || exit 9; done
    ${command.replace('%u', '')} '${link}' && echo handed over
    kill $first; wait $first; echo ended with $?`
  const { output } = startAs(home, ['sh', '-c', script.replace(' &', ' > "$HOME/told" 2>&1 &')])
  await expect.poll(output, { timeout: 120_000 }).toContain('ended with 0')
  expect(output()).toContain('handed over')
}

const commandOf = (desktopFile: string): string =>
  /^Exec=(.*)$/m.exec(readFileSync(desktopFile, 'utf8'))![1]!.replace(' %u', '')

it('lintian finds no error in the debs', () => {
  for (const deb of [made.deb, made.service]) {
    expect(run('lintian', '--fail-on', 'error', '--no-tag-display-limit', deb)).not.toMatch(/^E:/m)
  }
})

it('the deb installs, starts with its sandbox, opens links, is upgraded with its data, and leaves nothing', async () => {
  const home = inFolder('home')
  run('apt-get', 'install', '-y', '--no-install-recommends', olderThan(made.deb))
  const desktopFile = `/usr/share/applications/${name}.desktop`
  expect(run('desktop-file-validate', desktopFile)).toBe('')
  expect(run('stat', '-c', '%a %u', `/usr/lib/${name}/chrome-sandbox`)).toBe('4755 0\n')
  await showsList(commandOf(desktopFile), home)
  const kept = readdirSync(join(home, '.config', name)).sort()
  expect(kept).toContain('cache')

  run('apt-get', 'install', '-y', '--no-install-recommends', made.deb)
  expect(run('dpkg-query', '--show', '--showformat', '${Version}', name)).not.toBe('0.0.1')
  expect(readdirSync(join(home, '.config', name)).sort()).toEqual(kept)
  await showsList(commandOf(desktopFile), home)
  // The desktop file is the package's alone.
  expect(existsSync(join(home, '.local/share/applications'))).toBe(false)

  const files = run('dpkg', '--listfiles', name)
    .trim()
    .split('\n')
    .filter((path) => path.includes(name))
  run('apt-get', 'purge', '-y', name)
  expect(files.filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(`/etc/apparmor.d/${name}`)).toBe(false)
  expect(readdirSync(join(home, '.config', name)).sort()).toEqual(kept)
})

it('apt installs from the repository, and checks its signature', () => {
  const list = `/etc/apt/sources.list.d/${name}-test.list`
  const from = ['-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-']
  const repository = inFolder('repository')
  run('chmod', '-R', 'a+rX', folder)
  try {
    writeFileSync(list, `deb [signed-by=${repository}/slipway.asc] file:${repository}/apt stable main\n`)
    run('apt-get', 'update', ...from)
    run('apt-get', 'install', '-y', '--no-install-recommends', name)
    expect(existsSync(`/usr/bin/${name}`)).toBe(true)
    writeFileSync(join(repository, 'apt/dists/stable/InRelease'), 'damaged')
    rmSync(join(repository, 'apt/dists/stable/Release.gpg'))
    expect(() => run('apt-get', 'update', ...from)).toThrow()
  } finally {
    rmSync(list, { force: true })
    run('apt-get', 'purge', '-y', name)
    run('apt-get', 'update')
  }
})

it('the rpm has the same files, and installs into a root of its own', () => {
  const root = inFolder('rpm-root')
  mkdirSync(root)
  const inRpm = run('rpm', '-qpl', made.rpm).trim().split('\n')
  for (const path of [
    `/usr/bin/${name}`,
    `/usr/share/applications/${name}.desktop`,
    `/usr/lib/${name}/sbom.cdx.json`,
  ])
    expect(inRpm).toContain(path)
  run('rpm', '--root', root, '--initdb')
  run('rpm', '--root', root, '--install', '--nodeps', '--noscripts', '--nosignature', made.rpm)
  expect(run('stat', '-c', '%a', join(root, `usr/lib/${name}/chrome-sandbox`))).toBe('4755\n')
  run('rpm', '--root', root, '--erase', '--nodeps', '--noscripts', name)
  expect(existsSync(join(root, `usr/lib/${name}/slipway`))).toBe(false)
})

it('the archive starts where it is unpacked', async () => {
  run('tar', '-xzf', made.tar, '-C', folder)
  run('chmod', '-R', 'a+rX', folder)
  const top = readdirSync(folder).find((one) => one.startsWith(`${name}-`))!
  await showsList(`${inFolder(top, 'slipway')} --`, inFolder('archive-home'))
})

it('the deb of the service answers by its unit, keeps its data over an upgrade, and leaves it after a purge', async () => {
  // Node may be here without Debian's package.
  const install = (deb: string): string => run('dpkg', '--force-depends', '--install', deb)
  const unit = (): string => readFileSync('/lib/systemd/system/slipway-service.service', 'utf8')
  const serves = async (work: (url: string) => Promise<void>): Promise<void> => {
    const [, command] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit())!
    const words = command!.replace(/\\\n/g, ' ').replace('/usr/bin/node', process.execPath)
    const child = spawn('setpriv', [
      '--reuid=slipway',
      '--regid=slipway',
      '--clear-groups',
      'sh',
      '-c',
      `exec ${words} --port 0`,
    ])
    let text = ''
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
    await expect.poll(() => text, { timeout: 60_000 }).toMatch(/^listening on \S+\n/)
    await work(/^listening on (\S+)\n/.exec(text)![1]!)
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  }
  install(olderThan(made.service))
  await serves(async (url) => expect((await fetch(`${url}/health`)).status).toBe(200))
  const kept = readdirSync('/var/lib/slipway')
  expect(kept.length).toBeGreaterThan(0)
  install(made.service)
  await serves(async (url) => expect((await fetch(`${url}/ready`)).status).toBe(200))
  run('dpkg', '--purge', 'slipway-service')
  expect(existsSync('/usr/lib/slipway-service')).toBe(false)
  expect(existsSync('/etc/slipway')).toBe(false)
  expect(readdirSync('/var/lib/slipway')).toEqual(kept)
})
