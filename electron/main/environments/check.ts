import {
  type ConnectionCheck,
  type EnvironmentProfile,
  type Outcome,
  fail,
  failure,
  readPage,
  succeed,
} from '@contract'
import type { HttpClient } from '../http/port'
import { headersOf, networkOf } from './profile'

/**
 * Asks the service of a profile for one deployment (interface: List deployments), in a throw-away session, and
 * says in words what came back.
 */
export async function checkConnection(
  http: HttpClient,
  profile: EnvironmentProfile,
  signal?: AbortSignal,
): Promise<Outcome<ConnectionCheck>> {
  const answer = await http.request({
    target: {
      environmentId: null,
      baseUrl: profile.baseUrl,
      headers: headersOf(profile),
      network: networkOf(profile),
    },
    method: 'GET',
    path: '/v2/deployments',
    query: new URLSearchParams({ limit: '1' }),
    signal,
  })
  if (!answer.ok) return answer
  const { json, durationMs } = answer.value
  const page = readPage(json, 1)
  if (!page.ok) {
    return fail(
      failure('unreadable-answer', 'Something answered, but not a deployment service.', {
        advice: `Check the base URL. What is wrong with the answer: ${page.reason}`,
        status: answer.value.status,
      }),
    )
  }
  const time = `Connected in ${Math.round(durationMs)} ms`
  return succeed({
    message: `${time}: ${describe(page.value.received, page.value.unreadable[0]?.reason)}`,
    durationMs,
    baseUrl: profile.baseUrl,
  })
}

function describe(received: number, unreadable: string | undefined): string {
  if (received === 0) return 'the service lists no deployments.'
  if (unreadable !== undefined) {
    return `the service lists deployments, but the first cannot be read (${unreadable}).`
  }
  return 'the service lists at least one deployment.'
}
