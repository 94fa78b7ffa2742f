import type { NetworkSettings, Proxy } from '@contract'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type * as ProxyScripts from '../../../../../../electron/main/http/sessions/proxy-scripts'
import type * as Sessions from '../../../../../../electron/main/http/sessions'

/** A session whose script, like Chromium's, runs until the process of all scripts ends. */
interface FakeSession {
  script: string
  requested: string[]
}

const electron = vi.hoisted(() => ({
  sessions: [] as unknown[],
  running: [] as ((proxy: string) => void)[],
}))

vi.mock('electron', async () => {
  const { fakeSession } = await import('../../../../../support/main/electron-session')
  return {
    app: {
      on: () => undefined,
      getAppMetrics: () => [{ serviceName: 'proxy_resolver.mojom.ProxyResolverFactory', pid: 4242 }],
    },
    session: {
      fromPartition: () => {
        const own: FakeSession = { script: '', requested: [] }
        const session = Object.assign(
          own,
          fakeSession({
            setProxy: ({ pacScript = '' }: { pacScript?: string }) => {
              own.script = pacScript
              return Promise.resolve()
            },
            resolveProxy: (url: string) => {
              own.requested.push(url)
              return new Promise<string>((resolve) => electron.running.push(resolve))
            },
          }),
        )
        electron.sessions.push(session)
        return session
      },
    },
  }
})

const endless: Proxy = { mode: 'pac-text', text: 'function FindProxyForURL() { for (;;) {} }' }
const withScript: NetworkSettings = { trust: { kind: 'system' }, proxy: endless }
const origin = 'http://service.example'

let scripts: typeof ProxyScripts
let sessions: typeof Sessions
const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
  // The process has ended, and all its scripts with it.
  for (const end of electron.running.splice(0)) end('DIRECT')
  return true
})

beforeEach(async () => {
  vi.resetModules()
  vi.useFakeTimers()
  electron.sessions.length = 0
  electron.running.length = 0
  kill.mockClear()
  sessions = await import('../../../../../../electron/main/http/sessions')
  scripts = await import('../../../../../../electron/main/http/sessions/proxy-scripts')
})

afterEach(() => {
  vi.useRealTimers()
})

/** Cancels a check of a draft whose script never returns. */
async function giveUpCheck(): Promise<void> {
  const own = await sessions.throwAwaySession('checks', origin, withScript)
  void scripts.endStuckScript(own, endless, `${origin}/v2`)
  own.release()
}

it('that never returns is detected once, however many checks were cancelled, without a session of environments', async () => {
  for (let index = 0; index < 90; index += 1) {
    await giveUpCheck()
    await vi.advanceTimersByTimeAsync(10)
  }
  await vi.advanceTimersByTimeAsync(2_000)
  const { max } = sessions.sessionLimits.environments
  for (let index = 0; index < max; index += 1) await sessions.throwAwaySession('environments', origin)
  expect(kill).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(kill).toHaveBeenCalledTimes(1)
  expect(kill).toHaveBeenCalledWith(4242, 'SIGKILL')
})

it('keeps running unless it is certain that no other script runs', async () => {
  await giveUpCheck()
  const { max } = sessions.sessionLimits.scripts
  for (let index = 0; index < max; index += 1) await sessions.throwAwaySession('scripts', origin)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(kill).not.toHaveBeenCalled()
})

it('delays the next use of its session, which would otherwise run it', async () => {
  await giveUpCheck()
  await vi.advanceTimersByTimeAsync(10)
  const next = await sessions.throwAwaySession('checks', origin, withScript)
  expect(next.session).not.toBe(electron.sessions[0])
  next.release()
  await vi.advanceTimersByTimeAsync(10_000)
  const after = await sessions.throwAwaySession('checks', origin, withScript)
  expect(electron.sessions.indexOf(after.session)).toBeLessThan(2)
})
