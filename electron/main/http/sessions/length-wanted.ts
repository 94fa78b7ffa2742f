import type { Failure, NetworkSettings } from '@contract'
import { settingsKey } from './settings'

/**
 * The services that may require the length of a body, according to an answer in this run. The key has the origin, the
 * proxy and the certificate rule: with others, another service may answer.
 */
const known = new Set<string>()

const keyOf = (url: string, network: NetworkSettings): string =>
  settingsKey({ origin: new URL(url).origin, network })

/** Services reject a body in chunks with these: 411 says so, 501 may mean it. */
const ofChunks: readonly number[] = [411, 501]

/** Services that treat a body in chunks as empty may reject it with these. */
const ofEmptyBody: readonly number[] = [400, 415, 422]

/** Whether a service may require the length of a body. */
export const isLengthWanted = (url: string, network: NetworkSettings): boolean =>
  known.has(keyOf(url, network))

/**
 * Notes a failed POST that may mean that its service requires the length of the body. Returns the failure; the first
 * time, with the advice to try again.
 */
export function heedLength(url: string, network: NetworkSettings, failure: Failure): Failure {
  const key = keyOf(url, network)
  if (!mayMeanLength(failure) || known.has(key)) return failure
  known.add(key)
  if (failure.status === 411) return failure
  const again =
    'If the request looks correct, try again. Some services need its length up front, which Slipway sends from now on.'
  return { ...failure, advice: failure.advice === null ? again : `${failure.advice} ${again}` }
}

/**
 * Whether a failure may mean that. A service that names a member of the body has read the body. A 422 whose issues name
 * none may still be about an empty body.
 */
function mayMeanLength({ status, issues }: Failure): boolean {
  if (status === null) return false
  if (ofChunks.includes(status)) return true
  const namesMember = issues.some(({ path }) => path.length > 0)
  return ofEmptyBody.includes(status) && !namesMember && (status !== 422 || issues.length > 0)
}
