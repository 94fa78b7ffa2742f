import {
  type ConnectionCheck,
  type DeploymentSummary,
  deploymentsPath,
  type EnvironmentMode,
  type EnvironmentProfile,
  type Failure,
  type Outcome,
  fail,
  failure,
  isKnownSource,
  modeLabels,
  sourceAvailability,
  sourceLabels,
  succeed,
} from '@contract'
import { readAnswer } from '../processes/answers'
import type { HttpClient } from '../http/client'
import { targetOf } from './known'

/**
 * Requests one deployment from the service of a profile (interface: List deployments), in a session that is used once.
 * If something else answers at the base URL, looks for the service at likely ones of the same host. Gives the result as
 * text.
 */
export async function checkConnection(
  http: HttpClient,
  profile: EnvironmentProfile,
  signal?: AbortSignal,
): Promise<Outcome<ConnectionCheck>> {
  const first = await checkAt(http, profile, signal)
  if (first.ok || !isSomethingElse(first.failure)) return first
  for (const baseUrl of likelyBaseUrls(profile.baseUrl)) {
    if (signal?.aborted) break
    const found = await checkAt(http, { ...profile, baseUrl }, signal)
    if (found.ok) return succeed({ ...found.value, isElsewhere: true })
  }
  return fail({ ...first.failure, advice: `${baseUrlAdvice} ${first.failure.advice ?? ''}`.trim() })
}

/** Prefixes below which installations are known to serve. */
const knownPrefixes = ['/api-host', '/api/host', '/api', '/host', '/control-plane']

/**
 * Where a service may be that isn't at a base URL: below a known prefix of the URL or of its host, or at the host
 * itself. People copy the address of a page of the application beside it.
 */
function likelyBaseUrls(baseUrl: string): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const below = [prefix, ''].flatMap((path) => knownPrefixes.map((known) => origin + path + known))
  return [...new Set([...below, origin])].filter((url) => url !== baseUrl)
}

const baseUrlAdvice =
  'Check the base URL: many installations serve below a path, such as /api-host, and none was found there.'

/** Whether an answer came from something other than the service. */
const isSomethingElse = ({ code }: Failure): boolean =>
  ['unreadable-answer', 'not-found-at-service', 'redirected', 'unexpected-status'].includes(code)

async function checkAt(
  http: HttpClient,
  profile: EnvironmentProfile,
  signal?: AbortSignal,
): Promise<Outcome<ConnectionCheck>> {
  const began = performance.now()
  const answer = await http.request({
    target: targetOf(null, profile),
    method: 'GET',
    path: deploymentsPath,
    query: new URLSearchParams({ limit: '1' }),
    signal,
  })
  if (!answer.ok) return answer
  const durationMs = performance.now() - began
  const page = await readAnswer(answer.value, { kind: 'page', limit: 1 }, (reason) =>
    failure('unreadable-answer', 'Something answered, but not a deployment service.', {
      advice: `Problem with the answer: ${reason}`,
    }),
  )
  if (!page.ok) return page
  const time = `Connected in ${Math.round(durationMs)} ms`
  return succeed({
    message: `${time}: ${describe(page.value.received, page.value.unreadable[0]?.reason)}`,
    warning: warningOf(page.value.deployments, profile.mode),
    durationMs,
    baseUrl: profile.baseUrl,
    isElsewhere: false,
  })
}

/** A deployment whose source the mode doesn't allow was created in another one (interface: Source availability). */
function warningOf(deployments: readonly DeploymentSummary[], mode: EnvironmentMode): string | null {
  const [first] = deployments
  if (!first || !isKnownSource(first.source)) return null
  const availability = sourceAvailability(first.source, mode)
  if (availability.available) return null
  const [listed, wanted] = [modeLabels[availability.mode], modeLabels[mode]]
  return `The mode may be wrong: it is ${wanted.toLowerCase()}, but the service lists a deployment from source "${sourceLabels[first.source]}", which is ${listed.toLowerCase()} only.`
}

function describe(received: number, unreadable: string | undefined): string {
  if (received === 0) return 'the service lists no deployments.'
  if (unreadable !== undefined) {
    return `the service lists deployments, but the first can't be read (${unreadable}).`
  }
  return 'the service lists at least one deployment.'
}
