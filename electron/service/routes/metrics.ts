import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Metrics } from '../http/metrics'
import { interfaceErrors } from './parts/answers'
import { tags } from './parts/tags'

const { 422: _query, ...errors } = interfaceErrors

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: [tags.service.name],
  summary: 'What this instance counts and measures, for Prometheus',
  responses: {
    200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } },
    ...errors,
  },
})

/** The route of the metrics. Like the service's data, it needs the API key. */
export function addMetricsRoute(app: OpenAPIHono, metrics: Metrics): void {
  app.openapi(metricsRoute, async (context) => {
    const { contentType, text } = await metrics.expose()
    return context.body(text, 200, { 'content-type': contentType }) as never
  })
}
