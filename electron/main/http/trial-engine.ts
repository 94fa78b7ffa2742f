/**
 * The rule for an Electron that is out of support, such as the trial engine that `npm start` uses if the official one
 * can't be downloaded. It gets no security fixes, so it must not have credentials. Otherwise, an attacker who blocks
 * the download could choose the engine that credentials pass through.
 */
import { type Failure, failure } from '@contract'
import { isLoopback } from '@contract/core/url'
import type { HttpRequest, HttpTarget } from './client'

/** If this variable is 1, credentials may pass through an engine without security fixes. */
const permission = 'SLIPWAY_ALLOW_TRIAL_ENGINE'

/**
 * Electron's maintainers support the three newest major versions:
 * https://www.electronjs.org/docs/latest/tutorial/electron-timelines
 */
const supportedVersions = 3

/** What this process is. Tests replace it. */
export interface Engine {
  /** Version of Electron; undefined outside Electron. */
  electron: string | undefined
  variables: Readonly<Record<string, string | undefined>>
}

const own: Engine = { electron: process.versions.electron, variables: process.env }

/**
 * Whether this Electron was out of support when Slipway was built. Only the version of the running program counts: no
 * variable, file or network can hide it.
 */
export function isTrialEngine({ electron }: Engine = own): boolean {
  if (electron === undefined) return false
  return Number.parseInt(electron, 10) <= ELECTRON_MAJOR - supportedVersions
}

/**
 * Why credentials may not be given or sent to a target; null if they may, or there are none. On a trial engine, they
 * may only go to this machine, also through a proxy on it, unless the person who starts Slipway has allowed more.
 *
 * @param secrets the secrets in the body of a request
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
