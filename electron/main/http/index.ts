import { fail, type Outcome, systemNetwork } from '@contract'
import { request } from './client'
import type { Send } from './exchange'
import { sendForEnvironment, withThrowAwaySession } from './electron-transport'
import { heedLength } from './sessions/length-wanted'
import type { ServiceInterface } from './failures'
import type { HttpAnswer, HttpClient, HttpTarget } from './types'
import type { Refusals } from './trust/refusals'
import { forgetSession, watchNetworkProcess } from './sessions'
import { credentialsRefusal } from './trial-engine'

/** Called with the outcome of every request to an environment's service. */
export type OutcomeListener = (target: HttpTarget, outcome: Outcome<HttpAnswer>) => void

/**
 * The HTTP client of the application, over Electron's sessions. Each environment has one session. Every other request
 * gets a session that is used once. A POST does too, because Chromium repeats a request if a reused connection breaks:
 * .github/decisions/0008-creations-leave-once.md.
 *
 * On a trial engine, credentials never leave this machine: `not-allowed`.
 *
 * @param refusals stores refused certificates, so that the operator can trust one by its identifier
 * @param service the interface that requests are for
 */
export function createHttpClient(
  refusals: Pick<Refusals, 'record'>,
  onOutcome: OutcomeListener = () => undefined,
  service?: ServiceInterface,
): HttpClient {
  watchNetworkProcess()
  return {
    request: async (httpRequest) => {
      const { target, method } = httpRequest
      const refusal = credentialsRefusal(target, httpRequest.secrets)
      if (refusal) return fail(refusal)
      const { environmentId, baseUrl, network = systemNetwork } = target
      const requestOver = (send: Send): Promise<Outcome<HttpAnswer>> =>
        request(httpRequest, send, undefined, service)
      const ended =
        environmentId === null || method === 'POST'
          ? await withThrowAwaySession(target, requestOver)
          : await requestOver(sendForEnvironment(environmentId, target))
      const sent = ended.ok || method !== 'POST' ? ended : fail(heedLength(baseUrl, network, ended.failure))
      const outcome = withRefusal(sent, target, refusals)
      if (!outcome.ok && outcome.failure.code === 'timeout') checkNetwork()
      if (environmentId !== null) onOutcome(target, outcome)
      return outcome
    },
    forget: forgetSession,
  }
}

/** Ends a network process that no longer responds. Its code is loaded when it is first needed. */
function checkNetwork(): void {
  import('./sessions/stuck-network').then(({ endStuckNetwork }) => endStuckNetwork()).catch(() => undefined)
}

/**
 * Records the certificate that a request failed with, if the operator may trust it, and adds its identifier to the
 * failure.
 */
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
