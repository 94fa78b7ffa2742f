import { answerLimits, deploymentsPath } from '@contract'
import type { HttpClient, HttpRequest } from '../http/types'
import type { Cache } from '../cache-client'

const repositoriesPath = /^\/v1\/integrations\/forge\/repohost\/([^/]+)\/repos$/

/**
 * An HTTP client that has every page, deployment and list of repositories stored that the service answers with, but for
 * the largest. Nobody waits for that, and nobody is told when it fails: the answer is good without it.
 */
export function writeThrough(http: HttpClient, cache: Cache): HttpClient {
  return {
    request: async (asked) => {
      const sentAt = Date.now()
      const outcome = await http.request(asked)
      const { environmentId } = asked.target
      if (outcome.ok && environmentId !== null && outcome.value.body.byteLength <= answerLimits.storedBytes) {
        const span = { sentAt, receivedAt: Date.now() }
        store(cache, environmentId, asked, outcome.value.body.slice(), span)
      }
      return outcome
    },
    forget: (environmentId) => http.forget(environmentId),
  }
}

function store(
  cache: Cache,
  environmentId: string,
  { target, method, path }: HttpRequest,
  body: Uint8Array,
  span: { sentAt: number; receivedAt: number },
): void {
  // The environment may have been edited since it was asked for.
  const from = cache.serviceOf(target)
  const integration = repositoriesPath.exec(path)?.[1]
  if (integration !== undefined) {
    const integrationId = decodeURIComponent(integration)
    void cache.ask(environmentId, 'write-repositories', { integrationId, text: textOf(body), span }, from)
  } else if (path === deploymentsPath) {
    if (method === 'GET') {
      void cache.ask(environmentId, 'write-page', { body, span, run: null }, from)
    } else void cache.ask(environmentId, 'write-deployment', { text: textOf(body), span }, from)
  }
}

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)
