import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { splitIds } from '@contract'
import { changeEntry } from '../../access/audit'
import { limitBody, refuseInexactNumbers, requireJson, requireUtf8 } from '../../api/body'
import {
  revisionAnswerSchema,
  revisionBodySchema,
  revisionPageSchema,
  revisionParametersSchema,
  revisionPathSchema,
} from '../../api/life-schemas'
import type { RevisionStatus } from '../../api/revision-statuses'
import { deploymentParametersSchema } from '../../api/schemas'
import type { FoundRevision, Revision } from '../../database/store'
import { bodyErrors, errorAnswer, interfaceErrors, writeErrors } from '../parts/answers'
import type { CreationRules } from '../creation'
import type { RouteParts } from '../parts/route-parts'
import { pageBody } from '../parts/page-body'
import { tags } from '../parts/tags'
import { interrupting, redeploying, revising } from './changes'
import { paceNow } from './pace'
import { checkRevisionSource } from './revision-source'
import { readDeployment } from '../parts/read-deployment'
import { revisionAnswer } from './revision-answer'

const path = '/v2/deployments/{deployment_id}/revisions'
const about = { tags: [tags.extension.name] }
const revision = { content: { 'application/json': { schema: revisionAnswerSchema } } }
const json = { 'content-type': 'application/json' }
const noDeployment = errorAnswer('No such deployment.')
const noRevision = errorAnswer('No such deployment, or it has no such revision.')

const listRoute = createRoute({
  ...about,
  method: 'get',
  path,
  operationId: 'listRevisions',
  summary: 'List the revisions of a deployment, the newest first',
  request: { params: deploymentParametersSchema, query: revisionParametersSchema },
  responses: {
    200: {
      description: 'A page, with the offset of the next one.',
      content: { 'application/json': { schema: revisionPageSchema } },
    },
    ...interfaceErrors,
    404: noDeployment,
  },
})

const createRevisionRoute = createRoute({
  ...about,
  method: 'post',
  path,
  operationId: 'createRevision',
  summary: 'Create a revision',
  middleware: [requireJson, limitBody, requireUtf8, refuseInexactNumbers],
  request: {
    params: deploymentParametersSchema,
    body: { required: true, content: { 'application/json': { schema: revisionBodySchema } } },
  },
  responses: {
    201: { description: 'The revision.', ...revision },
    ...interfaceErrors,
    400: errorAnswer(
      'Broken JSON, an archive that is not there, or a ref that is not known: the text says which.',
    ),
    404: noDeployment,
    409: errorAnswer('The deployment is being deleted, or too many revisions are queued.'),
    ...bodyErrors,
    ...writeErrors,
  },
})

const readRoute = createRoute({
  ...about,
  method: 'get',
  path: `${path}/{revision_id}`,
  operationId: 'getRevision',
  summary: 'Read a revision',
  request: { params: revisionPathSchema },
  responses: { 200: { description: 'The revision.', ...revision }, ...interfaceErrors, 404: noRevision },
})

const redeployRoute = createRoute({
  ...about,
  method: 'post',
  path: `${path}/{revision_id}/redeploy`,
  operationId: 'redeployRevision',
  summary: 'Deploy again what a revision has',
  request: { params: revisionPathSchema },
  responses: {
    200: { description: 'The revision that this makes.', ...revision },
    ...interfaceErrors,
    404: noRevision,
    409: errorAnswer('The deployment is being deleted, or too many revisions are queued.'),
    ...writeErrors,
  },
})

const interruptRoutes = [
  { segment: 'interrupt', operationId: 'interruptRevision' },
  { segment: 'interruption', operationId: 'interruptRevisionByItsOtherName' },
].map(({ segment, operationId }) =>
  createRoute({
    ...about,
    method: 'post',
    path: `${path}/{revision_id}/${segment}` as const,
    operationId,
    summary: 'End a revision before it is deployed',
    request: { params: revisionPathSchema },
    responses: {
      200: { description: 'The revision.', ...revision },
      ...interfaceErrors,
      404: noRevision,
      409: errorAnswer('It is deployed.'),
      ...writeErrors,
    },
  }),
)

/** An extension: the revisions of a deployment. */
export function addRevisionRoutes(
  app: OpenAPIHono,
  parts: RouteParts,
  { checksRepositories }: CreationRules,
): void {
  const { store, provisionMs } = parts
  app.openapi(listRoute, async (context) => {
    const target = { id: context.req.valid('param').deployment_id, tenantId: context.get('caller').tenantId }
    const { limit, offset, status } = context.req.valid('query')
    const now = new Date().toISOString()
    const deployment = await readDeployment(store, target, now)
    if (deployment === null) return context.json({ detail: `Deployment ID ${target.id} not found.` }, 404)
    // The rest of the deployment isn't held in memory while the page is written.
    const { source } = deployment
    const statuses = splitIds(status) as RevisionStatus[]
    const found = await store.revisions.find(target, { limit, offset, statuses }, now)
    const answerOf = (revision: Revision): string => JSON.stringify(revisionAnswer(revision, source))
    const items = found.map((each) => {
      const { config } = each
      return { ...each, document: config === null ? null : answerOf({ ...each, config }) }
    })
    const read = async (batch: readonly FoundRevision[]): Promise<string[]> =>
      (await store.revisions.complete(batch)).map(answerOf)
    return context.body(pageBody(items, read, offset + found.length), 200, json) as never
  })

  app.openapi(readRoute, async (context) => {
    const { deployment_id: deploymentId, revision_id: id } = context.req.valid('param')
    const target = { id: deploymentId, tenantId: context.get('caller').tenantId }
    const now = new Date().toISOString()
    const deployment = await readDeployment(store, target, now)
    const found = await store.revisions.get(target, id, now)
    if (deployment === null || found === null) {
      return context.json({ detail: `Revision ID ${id} not found.` }, 404)
    }
    return context.json(revisionAnswer(found, deployment.source), 200)
  })

  app.openapi(createRevisionRoute, async (context) => {
    const target = { id: context.req.valid('param').deployment_id, tenantId: context.get('caller').tenantId }
    const body = context.req.valid('json')
    const requested = body.source_revision_config
    const checked = await checkRevisionSource(parts, checksRepositories, target, requested)
    if (!checked.ok) return context.json({ detail: checked.detail }, checked.status)
    const { pace, now } = paceNow(provisionMs)
    const decide = revising(body, pace, checked.found)
    const made = await store.change(target, null, now, decide, changeEntry(context))
    if (made === null) return context.json({ detail: `Deployment ID ${target.id} not found.` }, 404)
    if (!made.ok) return context.json({ detail: made.refused.detail }, made.refused.status)
    return context.json(made.value, 201)
  })

  app.openapi(redeployRoute, async (context) => {
    const { deployment_id: deploymentId, revision_id: id } = context.req.valid('param')
    const target = { id: deploymentId, tenantId: context.get('caller').tenantId }
    const { pace, now } = paceNow(provisionMs)
    const made = await store.change(target, id, now, redeploying(id, pace), changeEntry(context))
    if (made === null) return context.json({ detail: `Deployment ID ${target.id} not found.` }, 404)
    if (!made.ok) return context.json({ detail: made.refused.detail }, made.refused.status)
    return context.json(made.value, 200)
  })

  for (const route of interruptRoutes) {
    app.openapi(route, async (context) => {
      const { deployment_id: deploymentId, revision_id: id } = context.req.valid('param')
      const target = { id: deploymentId, tenantId: context.get('caller').tenantId }
      const { pace, now } = paceNow(provisionMs)
      const ended = await store.change(target, id, now, interrupting(id, pace), changeEntry(context))
      if (ended === null) return context.json({ detail: `Deployment ID ${target.id} not found.` }, 404)
      if (!ended.ok) return context.json({ detail: ended.refused.detail }, ended.refused.status)
      return context.json(ended.value, 200)
    })
  }
}
