import type { NetworkSettings } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Sessions from '../../../../../../electron/main/http/sessions'
import { type MadeCertificate, makeSelfSigned } from '../../../../../support/main/certificates'

const electron = vi.hoisted(() => ({
  made: 0,
  proxies: 0,
  refusesProxies: false,
  /** The certificate procedure of each session, newest last. */
  verify: [] as ((request: object, answer: (verdict: number) => void) => void)[],
  gone: (_details: { serviceName?: string }): void => undefined,
}))

vi.mock('electron', async () => {
  const { fakeSession } = await import('../../../../../support/main/electron-session')
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
          setCertificateVerifyProc: (verify: (typeof electron.verify)[number]) =>
            electron.verify.push(verify),
          setProxy: () => {
            electron.proxies += 1
            return electron.refusesProxies ? Promise.reject(new Error('No such proxy.')) : Promise.resolve()
          },
        })
      },
    },
  }
})

const settled = () => new Promise((resolve) => setTimeout(resolve))

let sessions: typeof Sessions

beforeEach(async () => {
  vi.resetModules()
  electron.made = 0
  electron.verify.length = 0
  electron.refusesProxies = false
  sessions = await import('../../../../../../electron/main/http/sessions')
})

const numberOf = ({ session }: Sessions.PreparedSession) => (session as unknown as { number: number }).number

/** Settings that differ in their proxy. */
const through = (port: number): NetworkSettings => ({
  trust: { kind: 'system' },
  proxy: { mode: 'manual', host: 'proxy.example', port, credentials: null },
})

/** Uses a session for a service like a creation, or like a check of the connection. Returns its number. */
async function use(
  origin: string,
  purpose: Sessions.SessionPurpose = 'environments',
  network?: NetworkSettings,
): Promise<number> {
  const prepared = await sessions.throwAwaySession(purpose, origin, network)
  prepared.release()
  await settled()
  return numberOf(prepared)
}

it('is created once for an origin, and again for another port or scheme of its host', async () => {
  expect(await use('https://a.example')).toBe(1)
  expect(await use('https://a.example')).toBe(1)
  expect(await use('http://a.example')).toBe(2)
  expect(await use('https://a.example:8443')).toBe(3)
})

it('is set up for another host once there are many, so that no page can exhaust the memory', async () => {
  const { soft } = sessions.sessionLimits.environments
  for (let index = 0; index < 300; index += 1) await use(`https://host-${index}.example`)
  expect(electron.made).toBe(soft)
  const before = electron.proxies
  expect(await use('https://one-more.example')).toBeLessThanOrEqual(soft)
  expect(electron.proxies).toBe(before + 1)
})

it('is never set up again for a host that it was used for, or for its subdomains, and their number is limited', async () => {
  const { soft, max } = sessions.sessionLimits.environments
  for (let port = 1; port <= soft; port += 1) expect(await use(`https://example.com:${port}`)).toBe(port)
  expect(await use('https://example.com:9000')).toBe(soft + 1)
  expect(await use('https://sub.example.com')).toBe(soft + 2)
  for (let port = 10_000; electron.made < max; port += 1) await use(`https://example.com:${port}`)
  await expect(use('https://example.com:9001')).rejects.toThrow('no-session')
  expect(await use('https://example.com:9000'), 'one that is there').toBe(soft + 1)
})

it('is set up again for a host that was only called over plain HTTP, without a certificate to remember', async () => {
  const { soft } = sessions.sessionLimits.environments
  for (let port = 1; port <= 1_000; port += 1) await use('http://a.example', 'environments', through(port))
  expect(electron.made).toBe(soft)
})

it('is available to environments and creations, whatever is checked', async () => {
  const { max } = sessions.sessionLimits.checks
  for (let port = 1; port <= max; port += 1) await use('https://a.example', 'checks', through(port))
  await expect(use('https://a.example', 'checks', through(9_000))).rejects.toThrow('no-session')
  expect(await use('https://a.example', 'environments', through(9_000))).toBe(max + 1)
  expect(numberOf(await sessions.sessionOf('e', 'https://a.example', through(9_001)))).toBe(max + 2)
})

it('that refused a certificate is reused for the same settings once there are ten, and remembers it', async () => {
  const { max } = sessions.sessionLimits.checks
  const [one, other] = await Promise.all([makeSelfSigned(), makeSelfSigned()])
  const check = async (...shown: MadeCertificate[]): Promise<Sessions.PreparedSession> => {
    const prepared = await sessions.throwAwaySession('checks', 'https://a.example')
    const verify = electron.verify[numberOf(prepared) - 1]!
    for (const { pem } of shown) {
      const certificate = { data: pem }
      verify({ hostname: 'a.example', certificate, errorCode: -202 }, () => undefined)
    }
    prepared.release()
    await settled()
    return prepared
  }
  // After a host has shown two, it is unknown which of them Chromium refuses from its cache.
  await check(one, other)
  for (let index = 1; index < sessions.maxForRefusedHost; index += 1)
    expect(numberOf(await check(one))).toBe(index + 1)
  for (let index = 0; index < max; index += 1) {
    const again = await check()
    expect(numberOf(again)).toBeGreaterThan(1)
    expect(again.refusals.get('a.example')?.trustable).toBe(true)
  }
  expect(electron.made).toBe(sessions.maxForRefusedHost)
  // With other settings, such as another certificate rule, none of them may be used.
  const after = await sessions.throwAwaySession('checks', 'https://a.example', through(1))
  expect(numberOf(after)).toBe(sessions.maxForRefusedHost + 1)
})

it('that refused a certificate is reused for the same settings if no more are allowed', async () => {
  const { max } = sessions.sessionLimits.checks
  const { pem } = await makeSelfSigned()
  const refused = await sessions.throwAwaySession('checks', 'https://a.example')
  const verify = electron.verify[numberOf(refused) - 1]!
  verify({ hostname: 'a.example', certificate: { data: pem }, errorCode: -202 }, () => undefined)
  const lent = Array.from({ length: max - 1 }, () => sessions.throwAwaySession('checks', 'https://a.example'))
  await Promise.all(lent)
  refused.release()
  await settled()
  const again = await sessions.throwAwaySession('checks', 'https://a.example')
  expect(again.refusals.get('a.example')?.trustable).toBe(true)
  await expect(sessions.throwAwaySession('checks', 'https://a.example')).rejects.toThrow('no-session')
})

it("that couldn't be set up is tried again with the next request, and can be forgotten", async () => {
  electron.refusesProxies = true
  await expect(sessions.sessionOf('e', 'https://a.example')).rejects.toThrow('no-setup')
  const failing = sessions.sessionOf('e', 'https://a.example')
  await sessions.forgetSession('e')
  await expect(failing).rejects.toThrow('no-setup')
  electron.refusesProxies = false
  expect(numberOf(await sessions.sessionOf('e', 'https://a.example'))).toBeLessThanOrEqual(electron.made)
  const before = electron.made
  electron.refusesProxies = true
  for (let index = 0; index < 5; index += 1) await use('https://b.example').catch(() => undefined)
  expect(electron.made, 'none is lost').toBeLessThanOrEqual(before + 1)
})

it('is refused for settings from before an edit, and the current one stays', async () => {
  const before = await sessions.sessionOf('e', 'https://a.example', through(1), 1)
  const now = await sessions.sessionOf('e', 'https://a.example', through(2), 2)
  expect(before.endedBy()).toBe('environment-changed')
  await expect(sessions.sessionOf('e', 'https://a.example', through(1), 1)).rejects.toThrow(
    'environment-changed',
  )
  expect(now.endedBy()).toBeNull()
  // The edit is undone.
  const back = await sessions.sessionOf('e', 'https://a.example', through(1), 3)
  expect([now.endedBy(), back.endedBy()]).toEqual(['environment-changed', null])
})

describe('a lent session', () => {
  it("can't be used after its environment was changed or forgotten", async () => {
    const first = await sessions.sessionOf('e', 'https://a.example')
    expect(await sessions.sessionOf('e', 'https://a.example')).toBe(first)
    expect(first.endedBy()).toBeNull()
    const second = await sessions.sessionOf('e', 'https://a.example', through(1))
    await settled()
    expect(first.endedBy()).toBe('environment-changed')
    // The same Electron session, lent again.
    const again = await sessions.throwAwaySession('environments', 'https://a.example')
    expect(again.session).toBe(first.session)
    expect([again.endedBy(), first.endedBy()]).toEqual([null, 'environment-changed'])
    await sessions.forgetSession('e')
    expect(second.endedBy()).toBe('environment-changed')
  })

  it('is returned only once', async () => {
    const one = await sessions.throwAwaySession('environments', 'https://a.example')
    one.release()
    one.release()
    await settled()
    const lent = [1, 2].map(() => sessions.throwAwaySession('environments', 'https://a.example'))
    const [first, second] = await Promise.all(lent)
    expect(first!.session).not.toBe(second!.session)
  })

  it("ends with the network process, and doesn't affect the next ones", async () => {
    sessions.watchNetworkProcess()
    const ofEnvironment = await sessions.sessionOf('e', 'https://a.example')
    const inUse = await sessions.throwAwaySession('environments', 'https://b.example')
    electron.gone({ serviceName: 'audio.mojom.AudioService' })
    expect(await sessions.sessionOf('e', 'https://a.example')).toBe(ofEnvironment)
    for (let index = 0; index < 60; index += 1) await use(`https://host-${index}.example`)
    for (let ends = 1; ends <= 50; ends += 1) {
      electron.gone({ serviceName: 'network.mojom.NetworkService' })
      const next = await sessions.sessionOf('e', 'https://a.example')
      expect(next.session).not.toBe(ofEnvironment.session)
      expect(next.endedBy()).toBeNull()
      for (let index = 0; index < 9; index += 1) await use(`https://host-${index}.example`)
    }
    expect([ofEnvironment.endedBy(), inUse.endedBy()]).toEqual(['network-process', 'network-process'])
    inUse.release()
    await settled()
    const next = await sessions.throwAwaySession('environments', 'https://b.example')
    expect(next.session).not.toBe(inUse.session)
  })
})
