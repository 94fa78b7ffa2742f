import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { engineOutput, isNoise } from '../../../../electron/launcher/application'

const folder = mkdtempSync(join(tmpdir(), 'slipway-engine-output-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The files in a folder, in the order of their names. */
const filesIn = (path: string): string[] =>
  readdirSync(path)
    .sort()
    .map((name) => join(path, name))

const noise = [
  '[5802:1122/074307.183427:ERROR:bus.cc(399)] Failed to connect to the bus: No such file or directory',
  '[2207:0100/000000.000000:INFO:cpu_info.cc(53)] Available number of cores: 2',
  '[5858:12:1122/074308.188543:WARNING:viz_main_impl.cc(186)] Exiting GPU process',
  '[1:1122/074308.188543:VERBOSE1:x.cc(1)] something',
  '(electron:1234): Gtk-WARNING **: 07:43:08.100: Theme parsing error',
  'libva error: vaGetDriverNameByIndex() failed with unknown libva error, driver_name = (null)',
  'MESA: error: ZINK: vkCreateInstance failed',
  'Failed to create /home/someone/.cache for shader cache (Permission denied)---disabling.',
  'ERR: Display.cpp:1023 (initialize): ANGLE Display::initialize error 12289: Could not open the default X display.',
  '#0 0x55d0c0a1b2c3 base::debug::CollectStackTrace()',
]

const spoken = [
  'Slipway: something failed: the disk is full',
  'Debugger listening on ws://127.0.0.1:9229/x',
  'Uncaught Exception:',
  'A JavaScript error occurred in the main process',
  '[5802:1122/074307.183427:FATAL:zygote_host_impl_linux.cc(90)] Running as root without --no-sandbox is not supported.',
  '[slipway] a line of somebody else',
]

describe('what Electron writes to standard error', () => {
  it.each(noise)('is noise: %s', (line) => {
    expect(isNoise(line)).toBe(true)
  })

  it.each(spoken)('is shown: %s', (line) => {
    expect(isNoise(line)).toBe(false)
  })

  it('is shown or logged in whole lines, however it arrives, for this user only', async () => {
    const own = join(folder, 'whole')
    const shown: string[] = []
    const output = engineOutput((text) => shown.push(text), own)
    const all = [noise[0]!, spoken[0]!, noise[1]!, spoken[1]!]
    const text = all.join('\n')
    for (let at = 0; at < text.length; at += 7) output.take(text.slice(at, at + 7))
    output.close()
    expect(shown).toEqual([`${spoken[0]}\n`, `${spoken[1]}\n`])
    const [file] = filesIn(own)
    await vi.waitFor(() => expect(readFileSync(file!, 'utf8')).toBe(`${text}\n`))
    expect(statSync(file!).mode & 0o777).toBe(0o600)
    expect(output.end()).toBe(`The end of ${file}:\n${all.map((line) => `    ${line}`).join('\n')}`)
  })

  it('is kept for the latest starts', async () => {
    const own = join(folder, 'several')
    mkdirSync(own)
    const earlier = Array.from({ length: 12 }, (_, day) => `2026-11-${day + 10}T08-30-00.000Z-1.log`)
    for (const name of [...earlier, 'notes.txt']) writeFileSync(join(own, name), 'of before')
    engineOutput(() => undefined, own).close()
    const remaining = filesIn(own).map((file) => basename(file))
    expect(remaining).toEqual([
      ...earlier.slice(-9),
      expect.stringContaining(`-${process.pid}.log`),
      'notes.txt',
    ])
  })

  it('continues if the log cannot be written', () => {
    const file = join(folder, 'no-folder')
    writeFileSync(file, '')
    const shown: string[] = []
    const output = engineOutput((text) => shown.push(text), file)
    output.take(`${noise[0]}\n${spoken[0]}\n`)
    output.close()
    expect(shown).toEqual([`${spoken[0]}\n`])
    expect(output.end()).toBe(`Its last output:\n    ${noise[0]}\n    ${spoken[0]}`)
  })

  it('says so if there was none', () => {
    const output = engineOutput(() => undefined, join(folder, 'silent'))
    output.close()
    expect(output.end()).toBe('It printed nothing.')
  })
})
