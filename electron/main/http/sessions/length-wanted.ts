import type { Failure, NetworkSettings } from '@contract'
import { settingsKey } from './settings'

/**
 * The origins that may want to know the length of a body beforehand, as an answer of theirs said in this run, each with
 * the way there: through another proxy, or by another certificate rule, another service may answer, which said nothing.
 */
const known = new Set<string>()

const keyOf = (url: string, network: NetworkSettings): string =>
  settingsKey({ origin: new URL(url).origin, network })

/** With these, services refuse any body in chunks: 411 says so, 501 may mean it. */
const ofChunks: readonly number[] = [411, 501]

/** With these, services that take a body in chunks for an empty one may refuse it. */
const ofEmptyBody: readonly number[] = [400, 415, 422]

/** Whether a service may want to know the length of a body beforehand. */
export const isLengthWanted = (url: string, network: NetworkSettings): boolean =>
  known.has(keyOf(url, network))

/**
 * Notes where the failure of a POST says that its service may want to know a body's length; gives the failure, which
 * says to try again where that is the first time.
 */
export function heedLength(url: string, network: NetworkSettings, failure: Failure): Failure {
  const key = keyOf(url, network)
  if (!mayMeanLength(failure) || known.has(key)) return failure
  known.add(key)
  if (failure.status === 411) return failure
  const again = 'If the request is correct, try again: Slipway sends its length from now on.'
  return { ...failure, advice: failure.advice === null ? again : `${failure.advice} ${again}` }
}

/** Who names a member of the body has read it. A 422 that names nothing may mean a member all the same. */
function mayMeanLength({ status, issues }: Failure): boolean {
  if (status === null) return false
  if (ofChunks.includes(status)) return true
  const namesMember = issues.some(({ path }) => path.length > 0)
  return ofEmptyBody.includes(status) && !namesMember && (status !== 422 || issues.length > 0)
}
