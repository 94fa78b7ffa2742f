import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { retryAfter } from '../api/errors'
import { StorageFailure } from '../base/storage-failure'
import type { Store } from '../database/store'
import { commonErrors, retryLater } from './parts/answers'
import { tags } from './parts/tags'

const okSchema = z.object({ status: z.literal('ok') })

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  tags: [tags.service.name],
  summary: 'Whether the service is up',
  security: [],
  responses: {
    200: { description: 'It is.', content: { 'application/json': { schema: okSchema } } },
    ...commonErrors,
  },
})

const readyRoute = createRoute({
  method: 'get',
  path: '/ready',
  operationId: 'getReadiness',
  tags: [tags.service.name],
  summary: 'Whether requests can be sent here',
  description:
    'Reads the database. If the last write failed, also writes, so that it shows when that works again.',
  security: [],
  responses: {
    200: { description: 'It can.', content: { 'application/json': { schema: okSchema } } },
    ...commonErrors,
    503: retryLater(
      "It can't, or the service is about to end: the text says which, and whether the disk is full. " +
        'Deployments may still be listed.',
    ),
  },
})

/** Routes about the service itself: its health and its readiness. */
export function addAboutRoutes(app: OpenAPIHono, store: Store, isEnding: () => boolean): void {
  app.openapi(healthRoute, (context) => context.json({ status: 'ok' as const }, 200))

  app.openapi(readyRoute, async (context) => {
    if (isEnding()) {
      context.header('Retry-After', retryAfter)
      return context.json({ detail: 'This instance is about to end.' }, 503)
    }
    try {
      await store.check()
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      context.header('Retry-After', retryAfter)
      const detail =
        error.reason === 'full'
          ? "The service's disk is full: deployments can be listed, but not created."
          : "The service's database can't be used at the moment."
      return context.json({ detail }, 503)
    }
    return context.json({ status: 'ok' as const }, 200)
  })
}
