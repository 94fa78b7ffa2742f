import { fail, type Outcome, systemNetwork } from '@contract'
import { request } from './client'
import { watchNetworkProcess } from './sessions'
import { sendOverShared, withOwnSession } from './transport'
import { credentialsRefusal } from './trial-engine'
import type { Refusals } from './trust'
import type { HttpAnswer, HttpClient, HttpRequest, HttpTarget } from './types'

/**
 * The HTTP client of the application, over Electron's sessions. A request that writes has a session of its own, because Chromium
 * repeats a request if a reused connection breaks: .github/decisions/0008-creations-leave-once.md.
 *
 * On a trial engine, credentials never leave this machine: `not-allowed`.
 *
 * @param refusals stores refused certificates, so that the operator can trust one by its identifier
 * @param onOutcome called with the outcome of every request, and how long it took in milliseconds
 */
export function createHttpClient(
  refusals: Pick<Refusals, 'record'>,
  onOutcome: (httpRequest: HttpRequest, outcome: Outcome<HttpAnswer>, ms: number) => void,
): HttpClient {
  watchNetworkProcess()
  async function requestOnce(httpRequest: HttpRequest): Promise<Outcome<HttpAnswer>> {
    const { target, method, secrets } = httpRequest
    const refusal = credentialsRefusal(target, secrets)
    if (refusal) return fail(refusal)
    return method === 'GET'
      ? await request(httpRequest, sendOverShared(target))
      : await withOwnSession(target, (send) => request(httpRequest, send))
  }
  return {
    request: async (httpRequest) => {
      const began = performance.now()
      const outcome = withRefusal(await requestOnce(httpRequest), httpRequest.target, refusals)
      onOutcome(httpRequest, outcome, performance.now() - began)
      return outcome
    },
  }
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
