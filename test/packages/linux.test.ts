import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inProject } from '../../electron/launcher/base.mjs'
import { readSigned } from '../../electron/main/features/signed-release'
import { signRelease } from '../../electron/launcher/packaging/publish'

// Builds the Linux packages and lives with them: on a Debian-like machine, as root, which installs and removes them.

const name = 'slipway-trial'
const folder = mkdtempSync(join(tmpdir(), 'slipway-packages-'))
const inFolder = (...parts: string[]): string => join(folder, ...parts)
const nobody = 65534
const children: ChildProcess[] = []

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', GNUPGHOME: inFolder('gnupg') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const release = { version: '9.0.0', date: '2026-11-01T00:00:00.000Z', notes: 'Faster.', minimum: '0.1.0' }
/** How often it was asked for the newest version. */
let asked = 0
const publisher = createServer((_request, response) => {
  asked += 1
  response.end(signRelease(release, privateKey))
})

const made = { deb: '', rpm: '', tar: '', service: '', archive: '' }

beforeAll(async () => {
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve))
  // Ordinary users start what is in it.
  chmodSync(folder, 0o755)
  run('apt-get', 'update')
  const tools = [
    'lintian',
    'xvfb',
    'xauth',
    'dbus',
    'desktop-file-utils',
    'gnome-keyring',
    'libglib2.0-bin',
    'dnf',
  ]
  run('apt-get', 'install', '-y', '--no-install-recommends', ...tools)
  mkdirSync(inFolder('gnupg'), { mode: 0o700 })
  const key = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', '']
  run('gpg', ...key, '--quick-generate-key', 'packages@test.invalid', 'ed25519', 'sign', 'never')
  writeFileSync(inFolder('update.pem'), privateKey)
  process.env.SLIPWAY_UPDATE_ADDRESS = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/latest.json`
  process.env.SLIPWAY_UPDATE_KEY = publicKey.toString('base64')
  const packages = run(
    process.execPath,
    inProject('electron/launcher/run.mjs'),
    'package',
    ...['--trial', '--deb', '--rpm', '--tar', '--announce', inFolder('update.pem'), '--notes', 'Faster.'],
    ...['--repository', inFolder('repository'), '--sign', 'packages@test.invalid'],
  )
  const service = run(
    process.execPath,
    inProject('electron/launcher/run.mjs'),
    'package:service',
    ...['--deb', '--repository', inFolder('repository'), '--sign', 'packages@test.invalid'],
  )
  const files = `${packages}${service}`.split('\n')
  const named = (pattern: RegExp): string => files.find((file) => pattern.test(file))!
  made.deb = named(/slipway-trial_.*\.deb$/)
  made.rpm = named(/\.rpm$/)
  made.tar = named(/\.tar\.gz$/)
  made.service = named(/slipway-service_.*\.deb$/)
  made.archive = named(/\.tgz$/)
}, 900_000)
afterAll(() => {
  for (const { pid, exitCode, signalCode } of children) {
    if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  }
  run('gpgconf', '--kill', 'gpg-agent')
  // A test that failed may have left them.
  run('dpkg', '--purge', name, 'slipway-service')
  publisher.closeAllConnections()
  publisher.close()
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

/**
 * Starts the application until it shows a list, opens a link to a screen in it, and ends it.
 *
 * @param open what opens a link
 */
async function showsList(
  command: string,
  home: string,
  open: string,
  screen: 'repositories' | 'new',
): Promise<void> {
  const script = `echo | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
    ${command} >"$HOME/told" 2>&1 & first=$!
    until grep -q 'window is open' "$HOME/told"; do sleep 0.2; kill -0 $first || exit 9; done
    ${open} 'slipway://Sandbox%20(cloud)/${screen}'
    until grep -q '"path": "/${screen}"' "$HOME/.config/${name}/choices.json"; do sleep 0.2; done
    kill $first; wait $first; echo ended with $?`
  const { output } = startAs(home, ['sh', '-c', script])
  await expect.poll(output, { timeout: 120_000 }).toContain('ended with 0')
  expect(readFileSync(join(home, 'told'), 'utf8')).not.toContain('Slipway: Error')
}

const commandOf = (desktopFile: string): string =>
  /^Exec=(.*)$/m.exec(readFileSync(desktopFile, 'utf8'))![1]!.replace(' %u', '')

it('every package has its checksum, and an SBOM and licences beside it and inside', () => {
  const out = inProject('out/package')
  expect(
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' }),
  ).toBe('')
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
  for (const file of Object.values(made)) expect(sums).toContain(`  ${basename(file)}\n`)
  expect(readdirSync(out).filter((one) => statSync(join(out, one)).isDirectory())).toEqual(['linux-unpacked'])

  const bomOf = (text: string): string[] =>
    (JSON.parse(text) as { components: { name: string }[] }).components.map((part) => part.name)
  const inDeb = (deb: string, path: string): string =>
    execFileSync('sh', ['-c', `dpkg-deb --fsys-tarfile "$0" | tar -xO "./$1"`, deb, path], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
  const beside = (file: string): string => readFileSync(join(out, file), 'utf8')
  for (const [bom, licences, inside, wanted, title] of [
    [
      'slipway-trial.cdx.json',
      'slipway-trial-licences.txt',
      inDeb(made.deb, `usr/lib/${name}/sbom.cdx.json`),
      ['electron', 'chromium', 'node', 'naive-ui', 'libsql'],
      /^Chromium and what it contains\n=+\n\n.*Credits/m,
    ],
    [
      'slipway-service-deb.cdx.json',
      'slipway-service-deb-licences.txt',
      inDeb(made.service, 'usr/lib/slipway-service/sbom.cdx.json'),
      ['node', 'hono', 'libsql'],
      /^Node.js v.*\n=+\n\nNode.js is licensed/m,
    ],
    [
      'slipway-service.cdx.json',
      'slipway-service-licences.txt',
      run('tar', '-xzOf', made.archive, 'package/sbom.cdx.json'),
      ['hono', 'libsql'],
      /^Slipway\n=+\n\nMIT License/m,
    ],
  ] as const) {
    expect(beside(bom)).toBe(inside)
    expect(bomOf(inside)).toEqual(expect.arrayContaining([...wanted]))
    expect(beside(licences)).toMatch(title)
    expect(beside(licences)).toMatch(/^hono \d/m)
  }
  // The page's libraries aren't in the service.
  expect(bomOf(beside('slipway-service.cdx.json'))).not.toContain('naive-ui')
})

it('lintian finds no error in the debs', () => {
  for (const deb of [made.deb, made.service]) {
    expect(run('lintian', '--fail-on', 'error', '--tag-display-limit', '0', deb)).not.toMatch(/^E:/m)
  }
})

/** Whether Ubuntu keeps programs without an AppArmor profile from their sandbox. */
function restrictNamespaces(isRestricted: boolean): void {
  const setting = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'
  if (existsSync(setting)) writeFileSync(setting, isRestricted ? '1' : '0')
}

it('the deb installs, starts with its sandbox, opens links, is upgraded with its data, and leaves nothing', async () => {
  restrictNamespaces(true)
  const home = inFolder('home')
  run('apt-get', 'install', '-y', '--no-install-recommends', olderThan(made.deb))
  const desktopFile = `/usr/share/applications/${name}.desktop`
  expect(run('desktop-file-validate', desktopFile)).toBe('')
  expect(run('stat', '-c', '%a %u', `/usr/lib/${name}/chrome-sandbox`)).toBe('4755 0\n')
  await showsList(commandOf(desktopFile), home, 'gio open', 'repositories')
  const kept = readdirSync(join(home, '.config', name)).sort()
  expect(kept).toContain('cache')

  run('apt-get', 'install', '-y', '--no-install-recommends', made.deb)
  expect(run('dpkg-query', '--show', '--showformat', '${Version}', name)).not.toBe('0.0.1')
  expect(readdirSync(join(home, '.config', name)).sort()).toEqual(kept)
  await showsList(commandOf(desktopFile), home, 'gio open', 'new')
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

it('the installed application asks for a newer version once a day, and not if the policy or a variable forbids it', async () => {
  const policy = '/etc/slipway/policy.json'
  const kept = (home: string, path: string): string => {
    const file = join(home, '.config', name, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  /** Starts it in a home until a file says something, and ends it. */
  const startUntil = async (home: string, path: string, says: string, command = name): Promise<void> => {
    const { child } = startAs(home, ['sh', '-c', `${command} & trap "kill $!; wait" TERM; wait`])
    await expect.poll(() => kept(home, path), { timeout: 120_000 }).toContain(says)
    process.kill(-child.pid!, 'SIGTERM')
    await new Promise((resolve) => child.once('close', resolve))
  }
  const announced = JSON.parse(readFileSync(inProject('out/package/latest.json'), 'utf8')) as {
    signed: string
  }
  expect(JSON.parse(announced.signed)).toMatchObject({ version: '0.1.0', notes: 'Faster.' })
  expect(readSigned(Buffer.from(JSON.stringify(announced)), publicKey.toString('base64'))).not.toHaveProperty(
    'wrong',
  )
  run('apt-get', 'install', '-y', '--no-install-recommends', made.deb)
  try {
    const home = inFolder('update-home')
    asked = 0
    await startUntil(home, 'updates.json', '"version": "9.0.0"')
    expect(asked).toBe(1)
    // The same day: it isn't asked again before it shows its list.
    await showsList(name, home, `${name} --`, 'repositories')
    expect(asked).toBe(1)
    const off = inFolder('variable-home')
    await startUntil(off, 'logs/slipway.log', 'switched off by=variable', `SLIPWAY_NO_UPDATE_CHECK=1 ${name}`)
    mkdirSync(dirname(policy), { recursive: true })
    writeFileSync(policy, '{ "disableUpdateNotice": true }')
    await startUntil(inFolder('policy-home'), 'logs/slipway.log', 'switched off by=policy')
    expect(asked).toBe(1)
  } finally {
    rmSync(policy, { force: true })
    run('apt-get', 'purge', '-y', name)
  }
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
    expect(run('apt-cache', 'policy', ...from, 'slipway-service')).toContain('Candidate: 0')
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

it('dnf installs the rpm from the repository into a root of its own, and checks its signatures', () => {
  const root = inFolder('dnf-root')
  const repository = inFolder('repository')
  const dnf = (...words: string[]): string =>
    run(
      'dnf',
      ...['-y', '--installroot', root, '--releasever', '1', '--setopt=reposdir=/nowhere', '--disablerepo=*'],
      ...['--setopt=tsflags=noscripts', '--setopt=cachedir=' + inFolder('dnf-cache')],
      ...[`--repofrompath=slipway,file://${repository}/rpm`, '--enablerepo=slipway'],
      ...['--setopt=slipway.gpgcheck=1', '--setopt=slipway.repo_gpgcheck=1'],
      `--setopt=slipway.gpgkey=file://${repository}/slipway.asc`,
      ...words,
    )
  expect(dnf('repoquery', name)).toContain(`${name}-0:`)
  // What it needs is Fedora's, which isn't here.
  expect(() => dnf('install', name)).toThrow(/nothing provides/)
})

it('the archive starts where it is unpacked', async () => {
  restrictNamespaces(false)
  run('tar', '-xzf', made.tar, '-C', folder)
  run('chmod', '-R', 'a+rX', folder)
  const top = readdirSync(folder).find((one) => one.startsWith(`${name}-`))!
  const command = inFolder(top, 'slipway')
  await showsList(command, inFolder('archive-home'), `${command} --`, 'repositories')
})

it('the deb of the service answers by its unit, keeps its data over an upgrade, and leaves it after a purge', async () => {
  const install = (deb: string): string => run('apt-get', 'install', '-y', '--no-install-recommends', deb)
  const folderOfData = '/var/lib/slipway'
  const asService = (command: string): string[] => [
    ...['--reuid=slipway', '--regid=slipway', '--clear-groups', 'sh', '-c', command],
  ]
  const unit = (): string => readFileSync('/lib/systemd/system/slipway-service.service', 'utf8')
  const serves = async (work: (url: string) => Promise<void>): Promise<void> => {
    const [, command] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit())!
    const words = command!.replace(/\\\n/g, ' ')
    const child = spawn('setpriv', asService(`exec ${words} --port 0`), { env: { PATH: '/usr/bin:/bin' } })
    let text = ''
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
    await expect.poll(() => text, { timeout: 60_000 }).toMatch(/^listening on \S+\n/)
    await work(/^listening on (\S+)\n/.exec(text)![1]!)
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  }
  // Purging leaves it; another service's must not be used here.
  expect(existsSync(folderOfData)).toBe(false)
  install(olderThan(made.service))
  await serves(async (url) => expect((await fetch(`${url}/health`)).status).toBe(200))
  const kept = readdirSync(folderOfData)
  expect(kept.length).toBeGreaterThan(0)
  install(made.service)
  await serves(async (url) => expect((await fetch(`${url}/ready`)).status).toBe(200))
  const command = `slipway-service keys add ci --role create --data ${folderOfData}`
  const key = run('setpriv', ...asService(command)).trim()
  await serves(async (url) => {
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/v2/deployments`, { headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ 'X-Api-Key': key })).status).toBe(200)
  })
  run('apt-get', 'purge', '-y', 'slipway-service')
  expect(existsSync('/usr/lib/slipway-service')).toBe(false)
  expect(existsSync('/etc/slipway')).toBe(false)
  expect(readdirSync(folderOfData)).toEqual(kept)
  rmSync(folderOfData, { recursive: true })
})
