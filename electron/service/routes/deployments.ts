import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { limitBody, refuseInexactNumbers, requireJson, requireUtf8 } from '../api/body'
import { creationEntry } from '../access/audit'
import { createDeployment, type CreationRules } from './creation'
import type { RouteParts } from './parts/route-parts'
import {
  createBodySchema,
  deploymentAnswerSchema,
  deploymentParametersSchema,
  listParametersSchema,
  pageAnswerSchema,
} from '../api/schemas'
import { bodyErrors, errorAnswer, interfaceErrors, writeErrors } from './parts/answers'
import { pageBody } from './parts/page-body'
import { readDocument } from './parts/read-deployment'
import { tags } from './parts/tags'

const listRoute = createRoute({
  method: 'get',
  path: '/v2/deployments',
  operationId: 'listDeployments',
  tags: [tags.interface.name],
  summary: 'List deployments, the newest first',
  request: { query: listParametersSchema },
  responses: {
    200: {
      description:
        'A page, with the offset of the next one. Only the last page has fewer deployments than asked for.',
      content: { 'application/json': { schema: pageAnswerSchema } },
    },
    ...interfaceErrors,
  },
})

const readRoute = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}',
  operationId: 'getDeployment',
  tags: [tags.extension.name],
  summary: 'Read one deployment',
  description: 'An extension: the interface has only the list.',
  request: { params: deploymentParametersSchema },
  responses: {
    200: {
      description: 'The deployment.',
      content: { 'application/json': { schema: deploymentAnswerSchema } },
    },
    ...interfaceErrors,
    404: errorAnswer('No such deployment.'),
  },
})

const createDeploymentRoute = createRoute({
  method: 'post',
  path: '/v2/deployments',
  operationId: 'createDeployment',
  tags: [tags.interface.name],
  summary: 'Create a deployment, and a tracing project of the same name',
  middleware: [requireJson, limitBody, requireUtf8, refuseInexactNumbers],
  request: { body: { required: true, content: { 'application/json': { schema: createBodySchema } } } },
  responses: {
    201: {
      description: 'The deployment. It is READY after a while.',
      content: { 'application/json': { schema: deploymentAnswerSchema } },
    },
    ...interfaceErrors,
    400: errorAnswer('Broken JSON, or against a rule: the text says which.'),
    409: errorAnswer('The name is taken, by a deployment or a tracing project.'),
    ...bodyErrors,
    ...writeErrors,
  },
})

const json = { 'content-type': 'application/json' }

/** Interface: List deployments, Create a deployment. */
export function addDeploymentRoutes(app: OpenAPIHono, parts: RouteParts, rules: CreationRules): void {
  const { store } = parts
  app.openapi(listRoute, async (context) => {
    const query = { ...context.req.valid('query'), tenantId: context.get('caller').tenantId }
    const now = new Date().toISOString()
    const found = await store.deployments.find(query, now)
    const nextOffset = query.offset + (found.at(-1)?.place ?? 0)
    const body = pageBody(found, (batch) => store.deployments.documents(batch, now), nextOffset)
    return context.body(body, 200, json) as never
  })

  app.openapi(readRoute, async (context) => {
    const { deployment_id: id } = context.req.valid('param')
    const { tenantId } = context.get('caller')
    const document = await readDocument(store, { id, tenantId }, new Date().toISOString())
    if (document === null) return context.json({ detail: `Deployment ID ${id} not found.` }, 404)
    return context.body(document, 200, json) as never
  })

  app.openapi(createDeploymentRoute, async (context) => {
    const body = context.req.valid('json')
    context.set('subject', body.name)
    const { tenantId } = context.get('caller')
    const entryOf = (id: string) => creationEntry(context, body.name, id)
    const creation = await createDeployment({ ...rules, ...parts, tenantId, entryOf }, body)
    if (!creation.ok) return context.json({ detail: creation.detail }, creation.status)
    return context.body(creation.document, 201, json) as never
  })
}
