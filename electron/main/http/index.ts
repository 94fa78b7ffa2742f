import { fail, type Outcome, systemNetwork } from '@contract'
import { request } from './client'
import { sendForEnvironment, withThrowAwaySession } from './electron-transport'
import { heedLength } from './sessions/length-wanted'
import type { ServiceInterface } from './failures'
import type { HttpAnswer, HttpClient, HttpTarget } from './types'
import type { Refusals } from './refusals'
import { forgetSession, watchNetworkProcess } from './sessions'
import { credentialsRefusal } from './trial-engine'

/** Called with the outcome of every request to an environment's service. */
export type OutcomeListener = (environmentId: string, outcome: Outcome<HttpAnswer>) => void

/**
 * The one HTTP client of the application, over Electron's sessions: one for each environment, a throw-away one
 * for what belongs to none.
 *
 * On a trial engine nothing that carries credentials leaves this machine: `not-allowed`.
 *
 * A POST gets a throw-away one as well, since Chromium sends a request again when a connection breaks that was used
 * before: .github/decisions/0008-creations-leave-once.md.
 *
 * @param refusals keeps the certificates that were refused, so that the user can trust one by its identifier
 */
export function createHttpClient(
  refusals: Pick<Refusals, 'record'>,
  onOutcome: OutcomeListener = () => undefined,
  service?: ServiceInterface,
): HttpClient {
  watchNetworkProcess()
  return {
    request: async (asked) => {
      const refusal = credentialsRefusal(asked.target, asked.secrets)
      if (refusal) return fail(refusal)
      const { environmentId } = asked.target
      const { baseUrl, network = systemNetwork } = asked.target
      const ended =
        environmentId === null || asked.method === 'POST'
          ? await withThrowAwaySession(asked.target, (send) => request(asked, send, undefined, service))
          : await request(asked, sendForEnvironment(environmentId, asked.target), undefined, service)
      const sent =
        ended.ok || asked.method !== 'POST' ? ended : fail(heedLength(baseUrl, network, ended.failure))
      const outcome = withRefusal(sent, asked.target, refusals)
      if (!outcome.ok && outcome.failure.code === 'timeout') lookAtNetwork()
      if (environmentId !== null) onOutcome(environmentId, outcome)
      return outcome
    },
    forget: forgetSession,
  }
}

/** Ends a network process that answers nothing any more. What that takes is loaded when it is first wanted. */
function lookAtNetwork(): void {
  import('./sessions/stuck-network').then(({ endStuckNetwork }) => endStuckNetwork()).catch(() => undefined)
}

/** Records the certificate that a request failed with, where the user may trust it, and names it in the failure. */
function withRefusal(
  outcome: Outcome<HttpAnswer>,
  { environmentId, baseUrl, network = systemNetwork }: HttpTarget,
  refusals: Pick<Refusals, 'record'>,
): Outcome<HttpAnswer> {
  if (outcome.ok || !outcome.failure.certificate?.trustable) return outcome
  const { certificate } = outcome.failure
  const id = refusals.record({
    environmentId,
    origin: new URL(baseUrl).origin,
    trust: network.trust,
    certificate: certificate.certificate,
  })
  return fail({ ...outcome.failure, certificate: { ...certificate, id } })
}
