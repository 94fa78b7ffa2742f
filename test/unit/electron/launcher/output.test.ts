import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { engineLogs, engineOutput, isNoise } from '../../../../electron/launcher/application'

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

  it('is shown, or in the log only, which is for this user, and named by a failure', async () => {
    const shown = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => shown.mockRestore())
    const output = engineOutput()
    const lines = [noise[0]!, spoken[0]!, noise[1]!, spoken[1]!]
    lines.forEach(output.take)
    const end = output.close()
    expect(shown.mock.calls).toEqual([[`${spoken[0]}\n`], [`${spoken[1]}\n`]])
    const file = join(engineLogs, `engine-${process.pid}.log`)
    expect(end).toBe(`The end of ${file}:\n${lines.map((line) => `    ${line}`).join('\n')}`)
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(`${lines.join('\n')}\n`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    output.remove()
    expect(existsSync(file)).toBe(false)
  })
})
