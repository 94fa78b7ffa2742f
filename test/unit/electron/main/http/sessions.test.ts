import { beforeEach, expect, it, vi } from 'vitest'
import type * as Sessions from '../../../../../electron/main/http/sessions'

const electron = vi.hoisted(() => ({
  made: 0,
  proxies: 0,
  /** Why the next session can't be set up. */
  trouble: null as Error | null,
  gone: (_details: { serviceName?: string }): void => undefined,
}))

vi.mock('electron', () => ({
  app: {
    on: (_name: string, listener: (event: unknown, details: { serviceName?: string }) => void) => {
      electron.gone = (details) => listener({}, details)
    },
  },
  session: {
    fromPartition: () => {
      electron.made += 1
      const done = () => Promise.resolve()
      return {
        number: electron.made,
        setPermissionRequestHandler: () => undefined,
        setPermissionCheckHandler: () => undefined,
        setSpellCheckerLanguages: () => undefined,
        setCertificateVerifyProc: () => undefined,
        setProxy: () => {
          electron.proxies += 1
          const { trouble } = electron
          electron.trouble = null
          return trouble ? Promise.reject(trouble) : Promise.resolve()
        },
        clearStorageData: done,
        clearCache: done,
        clearAuthCache: done,
        closeAllConnections: done,
      }
    },
  },
}))

const settled = () => new Promise((resolve) => setTimeout(resolve))

let sessions: typeof Sessions

beforeEach(async () => {
  vi.resetModules()
  electron.made = 0
  sessions = await import('../../../../../electron/main/http/sessions')
})

/** Uses a session for a service as a check of the connection does; gives its number. */
async function use(origin: string): Promise<number> {
  const prepared = await sessions.throwAwaySession(origin)
  prepared.release()
  await settled()
  return (prepared.session as unknown as { number: number }).number
}

it('is made once for an origin, and another one for another port or scheme of its host', async () => {
  expect(await use('https://a.example')).toBe(1)
  expect(await use('https://a.example')).toBe(1)
  expect(await use('http://a.example')).toBe(2)
  expect(await use('https://a.example:8443')).toBe(3)
})

it('is set up anew for another host once there are many, so that no page can fill the memory', async () => {
  for (let index = 0; index < 300; index += 1) await use(`http://host-${index}.example`)
  expect(electron.made).toBe(sessions.sessionLimits.usual)
  const before = electron.proxies
  expect(await use('http://one-more.example')).toBeLessThanOrEqual(sessions.sessionLimits.usual)
  expect(electron.proxies).toBe(before + 1)
})

it('is never set up anew for a host that it was used for, nor for one below it, and there is an end to them', async () => {
  const { usual, most } = sessions.sessionLimits
  for (let port = 1; port <= usual; port += 1) expect(await use(`https://example.com:${port}`)).toBe(port)
  expect(await use('https://example.com:9000')).toBe(usual + 1)
  expect(await use('https://sub.example.com')).toBe(usual + 2)
  for (let port = 10_000; electron.made < most; port += 1) await use(`https://example.com:${port}`)
  await expect(use('https://example.com:9001')).rejects.toThrow('Too many')
  expect(await use('https://example.com:9000'), 'one that is there').toBe(usual + 1)
})

it('is made anew once the network process has ended, with which its rule for certificates ended', async () => {
  sessions.watchNetworkProcess()
  const first = await sessions.sessionOf('e', 'https://a.example')
  expect(await sessions.sessionOf('e', 'https://a.example')).toBe(first)
  const inUse = await sessions.throwAwaySession('https://b.example')
  electron.gone({ serviceName: 'audio.mojom.AudioService' })
  expect(await sessions.sessionOf('e', 'https://a.example')).toBe(first)
  electron.gone({ serviceName: 'network.mojom.NetworkService' })
  expect(await sessions.sessionOf('e', 'https://a.example')).not.toBe(first)
  inUse.release()
  await settled()
  expect(await sessions.throwAwaySession('https://b.example')).not.toBe(inUse)
})

it('is prepared anew after that failed, once or by an edit, and forgotten where it failed', async () => {
  const trouble = new Error('The proxy cannot be set.')
  for (const origin of ['https://a.example', 'https://b.example', 'https://b.example']) {
    electron.trouble = trouble
    await expect(sessions.sessionOf('e', origin)).rejects.toThrow(trouble)
  }
  const prepared = await sessions.sessionOf('e', 'https://b.example')
  expect(await sessions.sessionOf('e', 'https://b.example')).toBe(prepared)
  electron.trouble = trouble
  const failing = sessions.sessionOf('e', 'https://c.example')
  const edited = sessions.sessionOf('e', 'https://d.example')
  await expect(failing).rejects.toThrow(trouble)
  expect(await sessions.sessionOf('e', 'https://d.example')).toBe(await edited)
  electron.trouble = trouble
  await expect(sessions.sessionOf('f', 'https://a.example')).rejects.toThrow(trouble)
  await sessions.forgetSession('f')
})
