import { systemNetwork } from '@contract'
import { beforeEach, describe, expect, it, test, vi } from 'vitest'
import type * as Sessions from '../../../../../electron/main/http'

const electron = vi.hoisted(() => ({
  made: 0,
  refusesProxies: false,
  refusesClearing: false,
  gone: (_details: { serviceName?: string }): void => undefined,
}))

vi.mock('electron', async () => {
  const { fakeSession } = await import('../../../../support/main/electron-session')
  const unless = (refuses: boolean): Promise<void> =>
    refuses ? Promise.reject(new Error('No.')) : Promise.resolve()
  return {
    app: {
      on: (_name: string, listener: (event: unknown, details: { serviceName?: string }) => void) => {
        electron.gone = (details) => listener({}, details)
      },
    },
    session: {
      fromPartition: () => {
        electron.made += 1
        return fakeSession({
          number: electron.made,
          setProxy: () => unless(electron.refusesProxies),
          clearAuthCache: () => unless(electron.refusesClearing),
        })
      },
    },
  }
})

let sessions: typeof Sessions

beforeEach(async () => {
  vi.resetModules()
  electron.made = 0
  electron.refusesProxies = false
  electron.refusesClearing = false
  sessions = await import('../../../../../electron/main/http')
})

const settings = (origin: string): Sessions.SessionSettings => ({ origin, network: systemNetwork })

const numberOf = ({ session }: Sessions.PreparedSession) => (session as unknown as { number: number }).number

/** Uses a session for a service like a creation. Returns its number. */
async function use(origin: string): Promise<number> {
  const prepared = await sessions.lendSession(settings(origin))
  await sessions.giveBack(settings(origin), prepared)
  return numberOf(prepared)
}

it('is created once for an origin, and again for another port or scheme of its host', async () => {
  expect(await use('https://a.example')).toBe(1)
  expect(await use('https://a.example')).toBe(1)
  expect(await use('http://a.example')).toBe(2)
  expect(await use('https://a.example:8443')).toBe(3)
  const shared = [1, 2].map(() => sessions.sharedSession(settings('https://a.example')))
  expect((await Promise.all(shared)).map(numberOf)).toEqual([4, 4])
})

it('is lent to one caller at a time', async () => {
  const lent = [1, 2].map(() => sessions.lendSession(settings('https://a.example')))
  expect((await Promise.all(lent)).map(numberOf)).toEqual([1, 2])
})

it("that couldn't be set up is tried again with the next request", async () => {
  electron.refusesProxies = true
  for (let times = 0; times < 400; times += 1)
    await expect(sessions.sharedSession(settings('https://a.example'))).rejects.toThrow('no-session')
  electron.refusesProxies = false
  expect(numberOf(await sessions.sharedSession(settings('https://a.example')))).toBe(electron.made)
})

it("that couldn't be cleared is used no more, and takes no place", async () => {
  electron.refusesClearing = true
  const numbers = new Set<number>()
  for (let times = 0; times < 400; times += 1) numbers.add(await use('https://a.example'))
  expect(numbers.size).toBe(400)
})

it('is refused beyond a number of different settings, until the network process starts again', async () => {
  sessions.watchNetworkProcess()
  for (let port = 1; port <= 300; port += 1) await use(`https://a.example:${port}`)
  await expect(use('https://b.example')).rejects.toThrow('no-session')
  expect(await use('https://a.example:7')).toBe(7)
  electron.gone({ serviceName: 'network.mojom.NetworkService' })
  expect(await use('https://b.example')).toBe(301)
  expect(await use('https://a.example:7')).toBe(302)
})

describe('a proxy', () => {
  const credentials = { userName: 'operator', password: 'a password' }
  const manual = { mode: 'manual' as const, host: 'Proxy.example.com', port: 3128, credentials }

  test('gives Electron every kind of proxy, without user name and password', () => {
    expect(sessions.proxyConfig({ mode: 'system' })).toEqual({ mode: 'system' })
    expect(sessions.proxyConfig({ mode: 'none' })).toEqual({ mode: 'direct' })
    expect(sessions.proxyConfig({ mode: 'pac-url', url: 'https://example.com/proxy.pac' })).toEqual({
      mode: 'pac_script',
      pacScript: 'https://example.com/proxy.pac',
    })
    // A proxy that was entered for an environment applies to this machine as well.
    expect(sessions.proxyConfig(manual)).toEqual({
      mode: 'fixed_servers',
      proxyRules: 'http://Proxy.example.com:3128',
      proxyBypassRules: '<-loopback>',
    })
  })

  test('gives a pasted script unchanged, whatever characters it contains', () => {
    const text = `function FindProxyForURL(url, host) {\n  return "DIRECT" // "ü" 100% #?& >>>>>?????\n}`
    const { mode, pacScript } = sessions.proxyConfig({ mode: 'pac-text', text })
    expect(mode).toBe('pac_script')
    const [head, body] = pacScript!.split(',')
    expect(head).toBe('data:application/x-ns-proxy-autoconfig;base64')
    // The base64 alphabet for URLs wouldn't work.
    expect(body).toBe(Buffer.from(text).toString('base64'))
  })

  test('credentials go only to the host and port that they were entered for', () => {
    expect(sessions.proxyCredentials(manual, { host: 'proxy.example.COM', port: 3128 })).toEqual(credentials)
    for (const asking of [
      { host: 'proxy.example.com', port: 3129 },
      { host: 'proxy.example.com.evil.example', port: 3128 },
      { host: 'evil.example', port: 3128 },
      { host: '', port: 3128 },
    ]) {
      expect(sessions.proxyCredentials(manual, asking), JSON.stringify(asking)).toBeNull()
    }
    const ip = { ...manual, host: '[2001:db8::1]' }
    expect(sessions.proxyCredentials(ip, { host: '2001:db8::1', port: 3128 })).toEqual(credentials)
    expect(sessions.proxyCredentials(ip, { host: '[2001:DB8::1]', port: 3128 })).toEqual(credentials)
  })

  test('credentials go to no other kind of proxy, and not to a proxy without any', () => {
    const asking = { host: 'proxy.example.com', port: 3128 }
    expect(sessions.proxyCredentials({ ...manual, credentials: null }, asking)).toBeNull()
    expect(sessions.proxyCredentials({ mode: 'system' }, asking)).toBeNull()
    expect(sessions.proxyCredentials({ mode: 'none' }, asking)).toBeNull()
    expect(
      sessions.proxyCredentials({ mode: 'pac-url', url: 'http://proxy.example.com:3128/' }, asking),
    ).toBeNull()
    expect(
      sessions.proxyCredentials({ mode: 'pac-text', text: 'PROXY proxy.example.com:3128' }, asking),
    ).toBeNull()
  })
})
