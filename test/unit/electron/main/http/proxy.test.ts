import { expect, test } from 'vitest'
import { proxyConfig, proxyCredentials } from '../../../../../electron/main/http/proxy'

const credentials = { userName: 'operator', password: 'a password' }
const manual = { mode: 'manual' as const, host: 'Proxy.example.com', port: 3128, credentials }

test('gives Electron every kind of proxy, without user name and password', () => {
  expect(proxyConfig({ mode: 'system' })).toEqual({ mode: 'system' })
  expect(proxyConfig({ mode: 'none' })).toEqual({ mode: 'direct' })
  expect(proxyConfig({ mode: 'pac-url', url: 'https://example.com/proxy.pac' })).toEqual({
    mode: 'pac_script',
    pacScript: 'https://example.com/proxy.pac',
  })
  // A proxy that was entered for an environment applies to this machine as well.
  expect(proxyConfig(manual)).toEqual({
    mode: 'fixed_servers',
    proxyRules: 'http://Proxy.example.com:3128',
    proxyBypassRules: '<-loopback>',
  })
})

test('gives a pasted script unchanged, whatever characters it contains', () => {
  const text = `function FindProxyForURL(url, host) {\n  return "DIRECT" // "ü" 100% #?& >>>>>?????\n}`
  const { mode, pacScript } = proxyConfig({ mode: 'pac-text', text })
  expect(mode).toBe('pac_script')
  const [head, body] = pacScript!.split(',')
  expect(head).toBe('data:application/x-ns-proxy-autoconfig;base64')
  // The base64 alphabet for URLs wouldn't work.
  expect(body).toBe(Buffer.from(text).toString('base64'))
})

test('credentials go only to the host and port that they were entered for', () => {
  expect(proxyCredentials(manual, { host: 'proxy.example.COM', port: 3128 })).toEqual(credentials)
  for (const asking of [
    { host: 'proxy.example.com', port: 3129 },
    { host: 'proxy.example.com.evil.example', port: 3128 },
    { host: 'evil.example', port: 3128 },
    { host: '', port: 3128 },
  ]) {
    expect(proxyCredentials(manual, asking), JSON.stringify(asking)).toBeNull()
  }
  const ip = { ...manual, host: '[2001:db8::1]' }
  expect(proxyCredentials(ip, { host: '2001:db8::1', port: 3128 })).toEqual(credentials)
  expect(proxyCredentials(ip, { host: '[2001:DB8::1]', port: 3128 })).toEqual(credentials)
})

test('credentials go to no other kind of proxy, and not to a proxy without any', () => {
  const asking = { host: 'proxy.example.com', port: 3128 }
  expect(proxyCredentials({ ...manual, credentials: null }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'system' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'none' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'pac-url', url: 'http://proxy.example.com:3128/' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'pac-text', text: 'PROXY proxy.example.com:3128' }, asking)).toBeNull()
})
