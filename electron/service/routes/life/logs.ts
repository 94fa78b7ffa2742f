import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { limitBody, requireJson, requireUtf8 } from '../../api/body'
import { revisionPathSchema } from '../../api/life-schemas'
import {
  logBodySchema,
  logPageSchema,
  logParametersSchema,
  type LogQuery,
  projectPathSchema,
} from '../../api/log-schemas'
import type { Store, Target } from '../../database/store'
import { bodyErrors, errorAnswer, interfaceErrors } from '../parts/answers'
import { readDeployment } from '../parts/read-deployment'
import { tags } from '../parts/tags'
import { buildLog, serverLog } from './log-lines'
import { pageOf } from './log-page'

const about = { tags: [tags.extension.name] }
const page = {
  description: 'A page of the log.',
  content: { 'application/json': { schema: logPageSchema } },
}
const noRevision = errorAnswer('No such deployment, or it has no such revision.')
const body = { required: true, content: { 'application/json': { schema: logBodySchema } } }

const readRoute = createRoute({
  ...about,
  method: 'get',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
  operationId: 'getRevisionLogs',
  summary: 'Read the logs of a revision',
  description: 'They are simulated, and the same every time.',
  request: { params: revisionPathSchema, query: logParametersSchema },
  responses: { 200: page, ...interfaceErrors, 404: noRevision },
})

const olderRoutes = (['build', 'deploy'] as const).map((type) => ({
  type,
  route: createRoute({
    ...about,
    method: 'post',
    path: `/v1/projects/{deployment_id}/revisions/{revision_id}/${type}_logs` as const,
    operationId: type === 'build' ? 'readBuildLogs' : 'readDeployLogs',
    summary: `Read the ${type === 'build' ? 'build' : 'server'} log of a revision, as older clients do`,
    middleware: [requireJson, limitBody, requireUtf8],
    request: { params: revisionPathSchema, body },
    responses: { 200: page, ...interfaceErrors, 404: noRevision, ...bodyErrors },
  }),
}))

const deploymentRoute = createRoute({
  ...about,
  method: 'post',
  path: '/v1/projects/{deployment_id}/deploy_logs',
  operationId: 'readDeploymentLogs',
  summary: 'Read the server log of the latest revision that has one',
  middleware: [requireJson, limitBody, requireUtf8],
  request: { params: projectPathSchema, body },
  responses: { 200: page, ...interfaceErrors, 404: errorAnswer('No such deployment.'), ...bodyErrors },
})

/** An extension: logs of simulated builds and servers. */
export function addLogRoutes(app: OpenAPIHono, store: Store): void {
  /** A page of a revision's log; null if there is no such revision. */
  async function read(target: Target, revisionId: string, type: 'build' | 'deploy', requested: LogQuery) {
    const now = new Date()
    const deployment = await readDeployment(store, target, now.toISOString())
    const found = await store.revisions.get(target, revisionId, now.toISOString())
    if (deployment === null || found === null) return null
    const time = now.getTime()
    return pageOf(
      type === 'build' ? buildLog(found, deployment.source, time) : serverLog(found, time),
      requested,
    )
  }

  app.openapi(readRoute, async (context) => {
    const { deployment_id: id, revision_id: revisionId } = context.req.valid('param')
    const { type, ...query } = context.req.valid('query')
    const found = await read({ id, tenantId: context.get('caller').tenantId }, revisionId, type, query)
    if (found === null) return context.json({ detail: `Revision ID ${revisionId} not found.` }, 404)
    return context.json(found, 200)
  })

  for (const { type, route } of olderRoutes) {
    app.openapi(route, async (context) => {
      const { deployment_id: id, revision_id: revisionId } = context.req.valid('param')
      const target = { id, tenantId: context.get('caller').tenantId }
      const found = await read(target, revisionId, type, context.req.valid('json'))
      if (found === null) return context.json({ detail: `Revision ID ${revisionId} not found.` }, 404)
      return context.json(found, 200)
    })
  }

  app.openapi(deploymentRoute, async (context) => {
    const { deployment_id: id } = context.req.valid('param')
    const target = { id, tenantId: context.get('caller').tenantId }
    const now = new Date()
    if ((await readDeployment(store, target, now.toISOString())) === null) {
      return context.json({ detail: `Deployment ID ${id} not found.` }, 404)
    }
    const query = { limit: 1, offset: 0, statuses: ['DEPLOYING', 'DEPLOYED'] as const }
    const [latest] = await store.revisions.find(target, query, now.toISOString())
    const log = latest === undefined ? { lines: [], isComplete: true } : serverLog(latest, now.getTime())
    return context.json(pageOf(log, context.req.valid('json')), 200)
  })
}
