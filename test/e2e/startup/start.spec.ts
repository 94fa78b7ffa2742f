import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { engineLogs, isNoise } from '../../../electron/launcher/application'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { noDisplay, variablesFor } from '../../support/main/variables'
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
