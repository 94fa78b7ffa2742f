// Starts each packaged program of this platform, as the workflow does: it has to show a list within a minute. On macOS
// and Windows also from the dmg, and as the installer installs it: for a machine that is thrown away.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inProject } from '../base/paths.mjs'

const folder = inProject('out/package')
/** @param {RegExp} name */
const find = (name) =>
  readdirSync(folder)
    .filter((one) => name.test(one))
    .map((one) => join(folder, one))

/** @type {Record<string, () => string[][]>} */
const commands = {
  linux: () =>
    [
      [join(folder, 'linux-unpacked/slipway')],
      ...find(/\.AppImage$/).map((file) => [file, '--appimage-extract-and-run']),
    ].map((words) => ['xvfb-run', '-a', 'dbus-run-session', '--', ...words]),
  darwin: () => {
    const mounted = find(/\.dmg$/).map((file) => {
      const place = mkdtempSync(join(tmpdir(), 'slipway-dmg-'))
      execFileSync('hdiutil', ['attach', '-nobrowse', '-readonly', '-mountpoint', place, file])
      return place
    })
    return [...find(/^mac/), ...mounted].map((one) => [join(one, 'Slipway.app/Contents/MacOS/Slipway')])
  },
  win32: () => {
    for (const file of find(/\.exe$/)) execFileSync(file, ['/S'])
    const installed = join(process.env.LOCALAPPDATA ?? '', 'Programs/slipway/slipway.exe')
    return [[join(folder, 'win-unpacked/slipway.exe')], [installed]]
  },
}

for (const [program = '', ...args] of commands[process.platform]?.() ?? []) {
  const child = spawn(program, args, {
    env: { ...process.env, SLIPWAY_TELL_FIRST_LIST: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  const shown = new Promise((resolve) => {
    let text = ''
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (piece) => {
        text += piece
        process.stdout.write(piece)
        if (text.includes('the window is open on')) resolve(true)
      })
    }
    child.once('close', () => resolve(false))
    setTimeout(() => resolve(false), 60_000).unref()
  })
  const worked = await shown
  if (child.pid && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL')
  else child.kill()
  console.log(`${program} ${args.join(' ')}: ${worked ? 'shows a list' : 'shows no list'}`)
  if (!worked) process.exitCode = 1
}
