import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { retryAfter } from '../api/errors'
import { limits } from '../base/limits'
import { StorageFailure } from '../base/storage-failure'
import type { Store } from '../database/store'
import { commonErrors, retryLater } from './answers'

const okSchema = z.object({ status: z.literal('ok') })

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
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
  summary: 'Whether the database can be used',
  description:
    'Reads the database. If the last write failed, also writes, so that it shows when that works again.',
  security: [],
  responses: {
    200: { description: 'It can.', content: { 'application/json': { schema: okSchema } } },
    ...commonErrors,
    503: retryLater("It can't: the text says whether its disk is full. Deployments may still be listed."),
  },
})

const description = `The deployment service that is built into Slipway. It keeps deployments, and runs nothing.

An error has a text in \`detail\`; a 422 has a list. A path answers 405 to methods that it doesn't have, with those that
it has in \`Allow\`.

Limits of a request: ${limits.headerBytes / 1024} KiB for its address and headers, ${limits.requestMs / 1000} s to send it,
and in a body 1 MiB, ${limits.levels} levels, ${limits.items} items in all lists together, and only numbers that a double
keeps exactly. Identifiers are answered in lower case.`

/** Routes about the service itself: its health, its readiness, and the OpenAPI document. */
export function addAboutRoutes(app: OpenAPIHono, store: Store): void {
  app.openapi(healthRoute, (context) => context.json({ status: 'ok' as const }, 200))

  app.openapi(readyRoute, async (context) => {
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

  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'Asked for when the service was started with one.',
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, as `Authorization: Bearer`.',
  })
  let document: ReturnType<typeof app.getOpenAPI31Document> | undefined
  app.get('/openapi.json', (context) => {
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'Deployment management service', version: '2', description },
      security: [{ apiKey: [] }, { bearer: [] }, {}],
    })
    return context.json(document)
  })
}
