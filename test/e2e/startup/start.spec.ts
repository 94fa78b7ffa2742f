import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { engineLogs, isNoise } from '../../../electron/launcher/application'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { buildSources } from '../../../electron/launcher/build'
import { noDisplay, variablesFor } from '../../support/main/variables'
import { filesWith } from '../support/files'
import { execute } from '../support/processes'

test.skip(process.platform !== 'linux', 'Only Linux can lack a display.')

/** The log of a start's engine, by npm's process group. */
async function logOf(group: number): Promise<string> {
  const { stdout } = await execute('ps', ['-eo', 'pgid,pid'])
  const pids = stdout.split('\n').flatMap((line) => {
    const [pgid, pid] = line.trim().split(/\s+/)
    return Number(pgid) === group ? [pid] : []
  })
  const name = (await readdir(engineLogs)).find((one) => pids.some((pid) => one.endsWith(`-${pid}.log`)))
  return join(engineLogs, name ?? 'none of this start')
}

test('npm start without a display opens the window on a virtual one, takes a picture of it, and leaves no process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-start-'))
  // Too long for the path of Chromium's socket in it.
  const temporary = join(folder, 't'.repeat(120))
  await mkdir(temporary)
  const environment = variablesFor(noDisplay, {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    TMPDIR: temporary,
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
  })
  const child = spawn('npm', ['start'], {
    cwd: projectFolder,
    env: environment,
    // A process group of its own, as in a terminal: Ctrl-C goes to all of it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let out = ''
  let errors = ''
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()))
  const running = async (): Promise<string[]> => {
    const { stdout } = await execute('ps', ['-eo', 'pid,args'])
    return stdout.split('\n').filter((line) => line.includes(folder) && !line.includes('ps -eo'))
  }
  try {
    await expect.poll(() => out + errors, { timeout: 120_000 }).toMatch(/the window is open|cannot go on/)
    expect(out).toContain('slipway: no display: running on a virtual display.')
    const line = out.split('\n').find((one) => one.includes('the window is open')) ?? ''
    const picture = join(folder, 'config/slipway/window.png')
    expect(line).toMatch(
      /^slipway: the window is open on Sandbox \(cloud\): 50 deployments shown, loaded just now\. A picture of it: /,
    )
    expect(line).toContain(picture)
    expect((await readFile(picture)).subarray(1, 4).toString()).toBe('PNG')
    const facts = await stat(picture)
    expect(facts.mode & 0o777).toBe(0o600)
    expect(facts.size, 'something is on it').toBeGreaterThan(20_000)

    // Without a bus, Chromium logs a dozen errors. They belong in the log, not here.
    expect(errors.split('\n').filter((one) => one !== '' && isNoise(one))).toEqual([])
    expect(await readFile(await logOf(child.pid!), 'utf8')).toContain('bus.cc')
    expect(await running(), 'the display').not.toEqual([])

    // A second start says which process is running already.
    const second = spawn(process.execPath, [inProject('electron/launcher/run.mjs'), 'start'], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    second.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
    expect(await new Promise((resolve) => second.once('close', resolve))).toBe(0)
    expect(said).toMatch(/Slipway is already running, as process \d+\. .* end it first/)
  } finally {
    process.kill(-child.pid!, 'SIGINT')
    await ended
  }
  await expect.poll(running, { message: 'processes that are left' }).toEqual([])
  expect((await readdir(temporary)).filter((name) => name.startsWith('slipway-'))).toEqual([])
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Replaces a text in the only file under `folder` that contains it. */
async function edit(folder: string, text: string, by: string): Promise<void> {
  const files = await filesWith(folder, text)
  expect(files, text).toHaveLength(1)
  await writeFile(
    files[0]!,
    (await readFile(files[0]!, 'utf8')).replace(text, () => by),
  )
}

test('npm run dev shows changes of the page at once and restarts for others, and the page reaches only its server', async () => {
  // It builds everything twice.
  test.slow()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-dev-'))
  // The test edits sources, so it works on a copy.
  for (const name of buildSources) await cp(inProject(name), join(folder, name), { recursive: true })
  await symlink(inProject('node_modules'), join(folder, 'node_modules'))
  let visits = 0
  const stranger = createServer((_request, response) => response.end())
  stranger.on('connection', () => (visits += 1))
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const strange = `127.0.0.1:${(stranger.address() as AddressInfo).port}`

  const child = spawn('npm', ['run', 'dev', '--', '--remote-debugging-port=0'], {
    cwd: folder,
    env: variablesFor(noDisplay, { DBUS_SESSION_BUS_ADDRESS: 'disabled:' }),
    // A process group of its own, as in a terminal, where Ctrl-C goes to the whole group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  /** The window's title, from the debugger's list of pages. */
  const title = async (): Promise<string> => {
    const [, port] = /listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? []
    const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { title: string }[]
    return pages[0]?.title ?? ''
  }
  const running = async (): Promise<string[]> => {
    const { stdout } = await execute('ps', ['-eo', 'pid,args'])
    return stdout.split('\n').filter((line) => line.includes(folder) && !line.includes('ps -eo'))
  }
  try {
    await expect.poll(() => output, { timeout: 120_000 }).toMatch(/the window is open|cannot go on/)
    expect(output).toContain('the window is open on Sandbox (cloud): 50 deployments shown')

    await edit(join(folder, 'src'), `' – Slipway'`, `' – first ' + performance.timeOrigin`)
    await expect.poll(title, { timeout: 10_000 }).toMatch(/first [\d.]+$/)
    const origin = /[\d.]+$/.exec(await title())![0]
    await edit(
      join(folder, 'src'),
      `' – first ' + performance.timeOrigin`,
      `' – second ' + performance.timeOrigin
  void fetch('http://${strange}').catch(() => 0)
  new Image().src = 'http://${strange}'
  try { new WebSocket('ws://${strange}') } catch {}`,
    )
    await expect.poll(title, { timeout: 10_000 }).toMatch(/second [\d.]+$/)
    expect(await title(), 'the page was not loaded again').toContain(origin)

    // The next start prints what the page's session reaches. The page's CSP doesn't apply to these requests.
    const reached = `await Promise.all(['${strange}', '127.0.0.1:' + DEV_SERVER_PORT].map((host) =>
      window()?.webContents.session.fetch('http://' + host + '/index.html').then(({ status }) => status, String)))`
    await edit(
      join(folder, 'electron/main'),
      'slipway: the window is open on',
      `slipway: reached: \${${reached}}; opened again on`,
    )
    await expect.poll(() => output, { timeout: 60_000 }).toContain('opened again on Sandbox (cloud): 50')
    expect(output).toContain('slipway: reached: Error: net::ERR_PROXY_CONNECTION_FAILED,200;')
    expect(visits).toBe(0)
  } finally {
    process.kill(-child.pid!, 'SIGINT')
    await ended
    stranger.close()
  }
  await expect.poll(running, { message: 'processes that are left' }).toEqual([])
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})
