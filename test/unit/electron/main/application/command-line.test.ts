import { describe, expect, it, vi } from 'vitest'
import { checkCommandLine, refusedSwitches } from '../../../../../electron/main/application/command-line'

const appendSwitch = vi.hoisted(() => vi.fn())

vi.mock('electron', () => ({ app: { isPackaged: false, commandLine: { appendSwitch } } }))

it('gives no server the account of the Windows user', () => {
  checkCommandLine()
  expect(appendSwitch).toHaveBeenCalledWith('auth-server-whitelist', 'nobody.invalid')
})

const linux = { platform: 'linux', user: 1000 } as const

describe('the switches of a packaged program', () => {
  it.each([
    '--no-sandbox',
    '--disable-setuid-sandbox',
    '--disable-gpu-sandbox',
    '--disable-seccomp-filter-sandbox',
    '--single-process',
    '--in-process-gpu',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--host-rules=MAP * 127.0.0.1',
    '--proxy-server=evil.example:1',
    '--proxy-pac-url=http://evil.example/p.pac',
    '--proxy-bypass-list=*',
    '--ssl-key-log-file=/tmp/keys',
    '--log-net-log=/tmp/log',
    '--enable-logging',
    '--log-file=/tmp/log',
    '--auth-server-allowlist=*',
    '--auth-server-whitelist=*',
    '--enable-features=X',
    '--disable-features=NetworkServiceSandbox',
    '--disable-site-isolation-trials',
    '--disable-web-security',
    '--allow-insecure-localhost',
    '--ignore-certificate-errors',
    '--user-agent=x',
    '--test-type',
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--inspect',
    '--inspect-brk=0',
    '--js-flags=--expose-gc',
    '--renderer-cmd-prefix=gdb',
    '--utility-cmd-prefix=gdb',
    '--gpu-launcher=gdb',
    '--browser-subprocess-path=/tmp/x',
    '--load-extension=/tmp/x',
    '--mojo-platform-channel-handle=1',
    '--type=renderer',
    '--a-switch-that-comes-with-a-later-version',
    '-r',
    '-no-sandbox',
  ])('do not include %s', (arg) => {
    expect(refusedSwitches({ ...linux, args: [arg] })).toEqual([`--${arg.replace(/^-+/, '').split('=')[0]}`])
  })

  it("include the data folder and drawing, and arguments that aren't switches", () => {
    const args = [
      '--user-data-dir=/home/ann/slipway',
      '--disable-gpu',
      '--ozone-platform=wayland',
      'a-file',
      '-',
      '--',
      '',
    ]
    expect(refusedSwitches({ ...linux, args })).toEqual([])
  })

  it('are those of Chromium on each platform', () => {
    expect(refusedSwitches({ args: ['/no-sandbox'], platform: 'win32', user: undefined })).toEqual([
      '--no-sandbox',
    ])
    expect(refusedSwitches({ args: ['/home/ann/file'], platform: 'linux', user: 1000 })).toEqual([])
  })

  it('names each refused one once, without values', () => {
    const args = [
      '--proxy-server=http://me:secret@evil.example',
      '--proxy-server=b',
      '--lang=de',
      '--inspect',
    ]
    expect(refusedSwitches({ ...linux, args })).toEqual(['--proxy-server', '--inspect'])
  })

  it('include --no-sandbox for root on Linux only', () => {
    const args = ['--no-sandbox']
    expect(refusedSwitches({ args, platform: 'linux', user: 0 })).toEqual([])
    expect(refusedSwitches({ args, platform: 'darwin', user: 0 })).toEqual(['--no-sandbox'])
    expect(
      refusedSwitches({ args: ['--no-sandbox', '--disable-gpu-sandbox'], platform: 'linux', user: 0 }),
    ).toEqual(['--disable-gpu-sandbox'])
  })
})
