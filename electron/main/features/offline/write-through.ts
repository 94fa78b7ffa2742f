import { answerLimits } from '@contract'
import type { Span } from '@contract/cache'
import { startSpan } from '../../async'
import type { Cache } from '../../processes/cache-client'
import type { Operation, ServiceClient } from '../../processes/cache-client/types'
import type { HttpClient } from '../../http/types'

/**
 * A client that writes each answer into the cache, except very large ones. It doesn't wait for that, reads no reply,
 * and ignores failures: the answer is valid without it.
 */
export function writeThrough(http: HttpClient, cache: Pick<Cache, 'askText' | 'serviceOf'>): ServiceClient {
  return {
    async request(request) {
      const measured = startSpan()
      const outcome = await http.request(request)
      const { target, operation } = request
      if (outcome.ok && target.environmentId !== null) {
        const { body } = outcome.value
        const span = measured()
        // The environment may now lead to another service than the one that answered.
        const from = cache.serviceOf(target)
        if (body.byteLength <= answerLimits.storedBytes)
          write(cache, target.environmentId, operation, body.slice(), span, from)
      }
      return outcome
    },
  }
}

function write(
  cache: Pick<Cache, 'askText'>,
  environmentId: string,
  operation: Operation,
  body: Uint8Array,
  span: Span,
  from: string,
): void {
  switch (operation.name) {
    case 'list-deployments':
      void cache.askText(
        environmentId,
        'write-page',
        { body, span, run: null, by: operation.by ?? 'page' },
        from,
      )
      break
    case 'create-deployment':
      void cache.askText(environmentId, 'write-deployment', { body, span }, from)
      break
    case 'list-repositories':
      void cache.askText(
        environmentId,
        'write-repositories',
        { integrationId: operation.integrationId, body, span },
        from,
      )
  }
}
