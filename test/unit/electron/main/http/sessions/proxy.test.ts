import { expect, test } from 'vitest'
import { proxyConfig, proxyCredentials } from '../../../../../../electron/main/http/sessions/proxy'

const credentials = { userName: 'operator', password: 'a password' }
const manual = { mode: 'manual' as const, host: 'Proxy.example.com', port: 3128, credentials }

test('every way to a proxy is said as Electron takes it, without a user name or password', () => {
  expect(proxyConfig({ mode: 'system' })).toEqual({ mode: 'system' })
  expect(proxyConfig({ mode: 'none' })).toEqual({ mode: 'direct' })
  expect(proxyConfig({ mode: 'pac-url', url: 'https://example.com/proxy.pac' })).toEqual({
    mode: 'pac_script',
    pacScript: 'https://example.com/proxy.pac',
  })
  // Also what is on this machine goes through a proxy that was entered for an environment.
  expect(proxyConfig(manual)).toEqual({
    mode: 'fixed_servers',
    proxyRules: 'http://Proxy.example.com:3128',
    proxyBypassRules: '<-loopback>',
  })
})

test('a pasted script arrives as it was pasted, whatever characters it has', () => {
  const text = `function FindProxyForURL(url, host) {\n  return "DIRECT" // "ü" 100% #?& >>>>>?????\n}`
  const { mode, pacScript } = proxyConfig({ mode: 'pac-text', text })
  expect(mode).toBe('pac_script')
  const [head, body] = pacScript!.split(',')
  expect(head).toBe('data:application/x-ns-proxy-autoconfig;base64')
  // The alphabet for URLs would not do.
  expect(body).toBe(Buffer.from(text).toString('base64'))
})

test('credentials go to the host and port that they were entered for, and to no other', () => {
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

test('no other kind of proxy gets credentials, nor does one for which none were entered', () => {
  const asking = { host: 'proxy.example.com', port: 3128 }
  expect(proxyCredentials({ ...manual, credentials: null }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'system' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'none' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'pac-url', url: 'http://proxy.example.com:3128/' }, asking)).toBeNull()
  expect(proxyCredentials({ mode: 'pac-text', text: 'PROXY proxy.example.com:3128' }, asking)).toBeNull()
})
