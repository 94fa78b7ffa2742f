import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { EnvironmentMode } from '@contract'
import { limitBody, requireJson } from '../api/body'
import { createDeployment } from './creation'
import type { Store } from '../database/store'
import {
  createBodySchema,
  deploymentAnswerSchema,
  listParametersSchema,
  pageAnswerSchema,
} from '../api/schemas'
import { errorAnswers } from './answers'

const listRoute = createRoute({
  method: 'get',
  path: '/v2/deployments',
  summary: 'List deployments, the newest first',
  request: { query: listParametersSchema },
  responses: {
    200: {
      description:
        'A page, with the offset of the next one. Only the last page has fewer deployments than asked for.',
      content: { 'application/json': { schema: pageAnswerSchema } },
    },
    401: errorAnswers[401],
    403: errorAnswers[403],
    422: errorAnswers[422],
  },
})

const createDeploymentRoute = createRoute({
  method: 'post',
  path: '/v2/deployments',
  summary: 'Create a deployment, and a tracing project of the same name',
  middleware: [requireJson, limitBody],
  request: { body: { required: true, content: { 'application/json': { schema: createBodySchema } } } },
  responses: {
    201: {
      description: 'The deployment. It is READY after a while.',
      content: { 'application/json': { schema: deploymentAnswerSchema } },
    },
    400: errorAnswers[400],
    401: errorAnswers[401],
    403: errorAnswers[403],
    409: errorAnswers[409],
    413: errorAnswers[413],
    415: errorAnswers[415],
    422: errorAnswers[422],
  },
})

/** Interface: List deployments, Create a deployment. */
export function addDeploymentRoutes(
  app: OpenAPIHono,
  store: Store,
  mode: EnvironmentMode,
  provisionMs: number,
): void {
  app.openapi(listRoute, (context) => {
    const query = context.req.valid('query')
    store.deployments.settleDue(new Date().toISOString())
    const documents = store.deployments.page(query)
    const text = `{"resources":[${documents.join()}],"offset":${query.offset + documents.length}}`
    return context.body(text, 200, { 'content-type': 'application/json' }) as never
  })

  app.openapi(createDeploymentRoute, async (context) => {
    const creation = await createDeployment(store, mode, provisionMs, context.req.valid('json'))
    if (!creation.ok) return context.json({ detail: creation.detail }, creation.status)
    return context.body(creation.document, 201, { 'content-type': 'application/json' }) as never
  })
}
