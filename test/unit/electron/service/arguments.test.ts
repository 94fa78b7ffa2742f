import { describe, expect, it } from 'vitest'
import { readTask } from '../../../../electron/service/arguments'

describe('wrong arguments', () => {
  it.each([
    ['--data x', '--mode'],
    ['--mode cloud', '--data'],
    ['--mode cloud --data x --database postgres://x/y', 'exclude each other'],
    ['--mode cloud --data x --connections 5', '--connections'],
    ['--mode cloud --database postgres://x/y --connections 1', 'a whole number from 2'],
    ['--mode cloud --data x --port 70000', '--port'],
    ['--mode cloud --data x --provision-ms 1s', '--provision-ms'],
    ['--mode cloud --data x --trusted-proxy 10.0.0.0/33', '10.0.0.0/33'],
    ['--mode cloud --data x --base-path /a/../b', '--base-path'],
    ['--mode cloud --data x --allowed-host a.example/b', '--allowed-host'],
    ['--mode cloud --data x --cors-origin *', '--cors-origin'],
    ['--mode cloud --data x --cors-origin https://a.example/', '--cors-origin'],
    ['--mode cloud --data x --tls-cert a.pem', '--tls-key'],
    ['keys add ci --data x', '--role'],
    ['keys add ci --role admin --data x', 'read, create'],
    ['keys add ci --role read --expires soon --data x', 'soon'],
    ['keys add ci --role read --expires 2020-01-01 --data x', 'is over already'],
    ['keys list', '--data'],
    ['repositories import x --integration x --data x', 'UUID'],
    [
      'repositories import x --url-prefix https://u:p@git.example --data x',
      'like https://git.example/agents',
    ],
    ['repositories import github:a/b --data x', 'like github:OWNER'],
    ['repositories import x --token-file x --data x', '--token-file'],
    ['repositories import x --every 0m --data x', 'like 15m or 12h'],
    ['backup --database postgres://h/d --to y', '--data <folder>'],
  ])('%s: are refused with the reason (%s)', (args, reason) => {
    expect(() => readTask(args.split(' '), {})).toThrow(reason)
  })
})

describe('an API key', () => {
  const read = (key: string) => readTask(['--mode', 'cloud', '--data', 'x'], { SLIPWAY_SERVICE_API_KEY: key })

  it.each([
    ['too short', 'fifteen-letters'],
    ['too long', 'x'.repeat(257)],
    ['not ASCII', 'a-key-of-some-length-ä'],
    ['with a space', 'a key of some length'],
    ['with a control character', 'a-key-of-some-\u0007length'],
  ])("isn't accepted if it is %s, and isn't shown", (_what, key) => {
    expect(() => read(key)).toThrow(/^SLIPWAY_SERVICE_API_KEY must have 16 to 256 printable ASCII characters/)
    expect(() => read(key)).not.toThrow(key)
  })

  it.each(['sixteen-letters!', 'x'.repeat(256)])('is accepted: %s', (apiKey) => {
    expect(read(apiKey)).toMatchObject({ options: { apiKey } })
  })
})
