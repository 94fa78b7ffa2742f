import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the service is up',
  security: [],
  responses: {
    200: {
      description: 'It is.',
      content: { 'application/json': { schema: z.object({ status: z.literal('ok') }) } },
    },
  },
})

/** Routes about the service itself: its health, and the OpenAPI document. */
export function addAboutRoutes(app: OpenAPIHono): void {
  app.openapi(healthRoute, (context) => context.json({ status: 'ok' as const }, 200))

  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'Asked for when the service was started with one.',
  })
  let document: ReturnType<typeof app.getOpenAPI31Document> | undefined
  app.get('/openapi.json', (context) => {
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Deployment management service',
        version: '2',
        description:
          'The deployment service that is built into Slipway. It keeps deployments, and runs nothing.',
      },
      security: [{ apiKey: [] }, {}],
    })
    return context.json(document)
  })
}
