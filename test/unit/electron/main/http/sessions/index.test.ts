import type { NetworkSettings } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Sessions from '../../../../../../electron/main/http/sessions'

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
  it('is returned only once', async () => {
    const one = await sessions.throwAwaySession('environments', 'https://a.example')
    one.release()
    one.release()
    await settled()
    const lent = [1, 2].map(() => sessions.throwAwaySession('environments', 'https://a.example'))
    const [first, second] = await Promise.all(lent)
    expect(first!.session).not.toBe(second!.session)
  })
})
