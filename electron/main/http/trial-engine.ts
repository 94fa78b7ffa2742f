/**
 * The one rule about an Electron that is out of support, such as the stand-in that `npm start` uses where the official
 * one cannot be downloaded: it gets no security fixes, so it is good for trying out and not for credentials. Whoever
 * keeps the official one from being downloaded must not be able to choose the engine that they go through.
 */
import { type Failure, failure } from '@contract'
import { isLoopback } from '@contract/core/base-url'
import type { HttpRequest, HttpTarget } from './types'

/** With this variable set to 1, credentials may go through an engine that gets no security fixes. */
const permission = 'SLIPWAY_ALLOW_TRIAL_ENGINE'

/** Electron's maintainers support the three newest major versions: https://www.electronjs.org/docs/latest/tutorial/electron-timelines */
const supportedVersions = 3

/** What this process is: handed in by tests. */
export interface Engine {
  /** Version of Electron; undefined outside of it. */
  electron: string | undefined
  variables: Readonly<Record<string, string | undefined>>
}

const own: Engine = { electron: process.versions.electron, variables: process.env }

/**
 * Whether this Electron was out of support when Slipway was built. Only the version that the program itself carries
 * counts: no variable, file or network hides it.
 */
export function isTrialEngine({ electron }: Engine = own): boolean {
  if (electron === undefined) return false
  return Number.parseInt(electron, 10) <= ELECTRON_MAJOR - supportedVersions
}

/**
 * Why credentials may not be given or sent to a target: null where they may, or where there are none. On a trial engine
 * they go to this machine alone, the proxy on the way included, unless whoever starts Slipway has allowed more.
 *
 * @param secrets what the body of a request says in confidence
 */
export function credentialsRefusal(
  { baseUrl, headers, network }: Pick<HttpTarget, 'baseUrl' | 'headers' | 'network'>,
  secrets: HttpRequest['secrets'] = [],
  engine: Engine = own,
): Failure | null {
  if (!isTrialEngine(engine) || engine.variables[permission] === '1') return null
  const proxy = network?.proxy.mode === 'manual' ? network.proxy : null
  const hasCredentials =
    Object.keys(headers).length > 0 || secrets.length > 0 || (proxy !== null && proxy.credentials !== null)
  if (!hasCredentials) return null
  const staysHere = isLoopback(new URL(baseUrl).hostname) && (proxy === null || isLoopbackHost(proxy.host))
  if (staysHere) return null
  return failure(
    'not-allowed',
    `Slipway runs on a trial engine (Electron ${engine.electron}), which gets no security fixes: credentials stay on this machine.`,
    {
      advice: `Start Slipway where github.com can be reached, so that it gets the official Electron. To accept the risk, start it with ${permission}=1.`,
    },
  )
}

function isLoopbackHost(host: string): boolean {
  try {
    return isLoopback(new URL(`http://${host}`).hostname)
  } catch {
    return false
  }
}
