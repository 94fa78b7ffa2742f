import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { engineOutput, isNoise } from '../../../../electron/launcher/engine-output.mjs'

const folder = mkdtempSync(join(tmpdir(), 'slipway-engine-output-'))
afterAll(() => rmSync(folder, { recursive: true }))

const noise = [
  '[5802:1122/074307.183427:ERROR:bus.cc(399)] Failed to connect to the bus: No such file or directory',
  '[2207:0100/000000.000000:INFO:cpu_info.cc(53)] Available number of cores: 2',
  '[5858:12:1122/074308.188543:WARNING:viz_main_impl.cc(186)] Exiting GPU process',
  '[1:1122/074308.188543:VERBOSE1:x.cc(1)] something',
  '(electron:1234): Gtk-WARNING **: 07:43:08.100: Theme parsing error',
  'libva error: vaGetDriverNameByIndex() failed with unknown libva error, driver_name = (null)',
  'MESA: error: ZINK: vkCreateInstance failed',
  'Failed to create /home/someone/.cache for shader cache (Permission denied)---disabling.',
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

  it('is shown or logged by whole lines, however it arrives, for this user alone', async () => {
    const file = join(folder, 'engine.log')
    writeFileSync(file, 'of the start before', { mode: 0o644 })
    const shown: string[] = []
    const output = engineOutput((text) => shown.push(text), file)
    const all = [noise[0]!, spoken[0]!, noise[1]!, spoken[1]!]
    const text = all.join('\n')
    for (let at = 0; at < text.length; at += 7) output.take(text.slice(at, at + 7))
    output.close()
    expect(shown).toEqual([`${spoken[0]}\n`, `${spoken[1]}\n`])
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(`${text}\n`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(output.end()).toBe(`The end of ${file}:\n${all.map((line) => `    ${line}`).join('\n')}`)
  })

  it('goes on where the log cannot be written', () => {
    const shown: string[] = []
    const output = engineOutput(
      (text) => shown.push(text),
      join(folder, 'engine.log', 'not-a-folder', 'x.log'),
    )
    output.take(`${noise[0]}\n${spoken[0]}\n`)
    output.close()
    expect(shown).toEqual([`${spoken[0]}\n`])
    // The file is not its own: it may be of another start, and another user's.
    expect(output.end()).toBe(`What it said last:\n    ${noise[0]}\n    ${spoken[0]}`)
  })

  it('is told to be nothing where it is nothing', () => {
    const output = engineOutput(() => undefined, join(folder, 'silent.log'))
    output.close()
    expect(output.end()).toBe('It said nothing.')
  })
})
