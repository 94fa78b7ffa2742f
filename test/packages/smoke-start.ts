// Starts each packaged program of this platform, as the workflow does: it has to show a list within a minute. On macOS
// and Windows also from the dmg, and as the installer installs it: for a machine that is thrown away.

import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { inProject } from '../../electron/launcher/base.mjs'

const folder = inProject('out/package')
const find = (name: RegExp): string[] =>
  readdirSync(folder)
    .filter((one) => name.test(one))
    .map((one) => join(folder, one))

/** The commands that start the programs. */
async function commands(): Promise<string[][]> {
  if (process.platform === 'win32') {
    for (const file of find(/\.exe$/)) await execa(file, ['/S'])
    const installed = join(process.env.LOCALAPPDATA ?? '', 'Programs/slipway/slipway.exe')
    return [[join(folder, 'win-unpacked/slipway.exe')], [installed]]
  }
  if (process.platform === 'darwin') {
    const places = find(/^mac/)
    for (const file of find(/\.dmg$/)) {
      const place = mkdtempSync(join(tmpdir(), 'slipway-dmg-'))
      await execa('hdiutil', ['attach', '-nobrowse', '-readonly', '-mountpoint', place, file])
      places.push(place)
    }
    return places.map((one) => [join(one, 'Slipway.app/Contents/MacOS/Slipway')])
  }
  const images = find(/\.AppImage$/).map((file) => [file, '--appimage-extract-and-run'])
  return [[join(folder, 'linux-unpacked/slipway')], ...images].map((words) => [
    ...['xvfb-run', '-a', 'dbus-run-session', '--'],
    ...words,
  ])
}

for (const [program = '', ...args] of await commands()) {
  const child = execa(program, args, {
    env: { SLIPWAY_TELL_FIRST_LIST: '1' },
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 60_000,
    detached: process.platform !== 'win32',
  })
  let worked = false
  for await (const line of child.iterable({ from: 'all' })) {
    console.log(line)
    worked = line.includes('the window is open on')
    if (worked) break
  }
  if (child.pid && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL')
  else child.kill()
  console.log(`${program} ${args.join(' ')}: ${worked ? 'shows a list' : 'shows no list'}`)
  if (!worked) process.exitCode = 1
}
