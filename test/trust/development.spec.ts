import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { inProject } from '../../electron/launcher/base.mjs'
import { buildSources } from '../../electron/launcher/build'
import { filesWith } from '../e2e/support/files'
import { execute } from '../e2e/support/processes'
import { noDisplay, variablesFor } from '../support/main/variables'

test.skip(process.platform !== 'linux', 'It runs on a virtual display.')

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
