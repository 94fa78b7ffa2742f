import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { changeEntry } from '../../access/audit'
import { limitBody, refuseInexactNumbers, requireJson, requireUtf8 } from '../../api/body'
import { requestIdOf } from '../../api/errors'
import { bulkAnswerSchema, bulkParametersSchema, changeBodySchema } from '../../api/life-schemas'
import { deploymentAnswerSchema, deploymentParametersSchema } from '../../api/schemas'
import { StorageFailure } from '../../base/storage-failure'
import type { AuditEntry } from '../../base/audit-entry'
import type { Target } from '../../database/store'
import { bodyErrors, errorAnswer, interfaceErrors, writeErrors } from '../parts/answers'
import { tags } from '../parts/tags'
import type { RouteParts } from '../parts/route-parts'
import type { CreationRules } from '../creation'
import { changing, deleting, needsRevision } from './changes'
import { paceNow } from './pace'
import { checkRevisionSource } from './revision-source'

const path = '/v2/deployments/{deployment_id}'
const noDeployment = errorAnswer('No such deployment.')

const changeRoute = createRoute({
  method: 'patch',
  path,
  operationId: 'changeDeployment',
  tags: [tags.extension.name],
  summary: 'Change a deployment',
  description: 'Other secrets, or another source_revision_config, make a revision.',
  middleware: [requireJson, limitBody, requireUtf8, refuseInexactNumbers],
  request: {
    params: deploymentParametersSchema,
    body: { required: true, content: { 'application/json': { schema: changeBodySchema } } },
  },
  responses: {
    200: {
      description: 'The deployment.',
      content: { 'application/json': { schema: deploymentAnswerSchema } },
    },
    ...interfaceErrors,
    400: errorAnswer("Broken JSON, against a rule, or a member that can't be changed: the text says which."),
    404: noDeployment,
    409: errorAnswer('It is being deleted, or too many revisions are queued.'),
    ...bodyErrors,
    ...writeErrors,
  },
})

const deleteRoute = createRoute({
  method: 'delete',
  path,
  operationId: 'deleteDeployment',
  tags: [tags.extension.name],
  summary: 'Delete a deployment',
  description:
    'It is AWAITING_DELETE for a while, then gone. Its tracing project stays, so its name stays taken.',
  request: { params: deploymentParametersSchema },
  responses: {
    204: { description: 'It is being deleted.' },
    ...interfaceErrors,
    404: noDeployment,
    ...writeErrors,
  },
})

const bulkDeleteRoute = createRoute({
  method: 'delete',
  path: '/v2/deployments',
  operationId: 'deleteDeployments',
  tags: [tags.extension.name],
  summary: 'Delete several deployments',
  request: { query: bulkParametersSchema },
  responses: {
    200: {
      description: 'All are being deleted.',
      content: { 'application/json': { schema: bulkAnswerSchema } },
    },
    207: {
      description: 'Some are not: each with the reason.',
      content: { 'application/json': { schema: bulkAnswerSchema } },
    },
    ...interfaceErrors,
    ...writeErrors,
  },
})

/** An extension: changes and deletions of deployments. */
export function addLifeRoutes(
  app: OpenAPIHono,
  parts: RouteParts,
  { mode, checksRepositories }: CreationRules,
): void {
  const { store, archives, provisionMs, log } = parts

  /** Starts to delete a deployment. Its archives are removed once it is gone. */
  async function remove(target: Target, entry: AuditEntry): Promise<true | null> {
    const { pace, now } = paceNow(provisionMs)
    await archives?.mark({ tenantId: target.tenantId, deploymentId: target.id.toLowerCase() })
    const found = await store.change(target, null, now, deleting(pace), entry)
    if (found) archives?.lookAt(pace.now + provisionMs)
    return found
  }

  app.openapi(changeRoute, async (context) => {
    const { deployment_id: id } = context.req.valid('param')
    const target = { id, tenantId: context.get('caller').tenantId }
    const body = context.req.valid('json')
    const checks = checksRepositories && needsRevision(body)
    const checked = await checkRevisionSource(parts, checks, target, body.source_revision_config)
    if (!checked.ok) return context.json({ detail: checked.detail }, checked.status)
    const { pace, now } = paceNow(provisionMs)
    const decide = changing(body, mode, pace, checked.found)
    const changed = await store.change(target, null, now, decide, changeEntry(context))
    if (changed === null) return context.json({ detail: `Deployment ID ${id} not found.` }, 404)
    if (!changed.ok) return context.json({ detail: changed.refused.detail }, changed.refused.status)
    return context.json(changed.value, 200)
  })

  app.openapi(deleteRoute, async (context) => {
    const { deployment_id: id } = context.req.valid('param')
    const { tenantId } = context.get('caller')
    const found = await remove({ id, tenantId }, changeEntry(context))
    return found ? context.body(null, 204) : context.json({ detail: `Deployment ID ${id} not found.` }, 404)
  })

  app.openapi(bulkDeleteRoute, async (context) => {
    const ids = [...new Set(context.req.valid('query').deployment_ids.map((id) => id.toLowerCase()))]
    const { tenantId } = context.get('caller')
    const results = await Promise.allSettled(
      ids.map((id) => remove({ id, tenantId }, changeEntry(context, id))),
    )
    const reasons = results.map((result, index) => reasonOf(result, ids[index]!))
    const deleted = ids.filter((_, index) => reasons[index] === null)
    context.set(
      'undone',
      ids.flatMap((id, index) => {
        const status = statusOf(results[index]!)
        return status === null ? [] : [{ id, status }]
      }),
    )
    const rejected = results.filter((result) => result.status === 'rejected')
    if (deleted.length === 0 && rejected.length > 0) throw rejected[0]!.reason
    for (const { reason } of rejected)
      log.problem('DELETE /v2/deployments failed in part:', reason, requestIdOf(context))
    const failed = ids.flatMap((id, index) => {
      const detail = reasons[index]
      return detail ? [{ deployment_id: id, detail }] : []
    })
    return context.json({ deleted, failed }, failed.length === 0 ? 200 : 207)
  })
}

/** The status that a deletion would be answered with on its own; null if the deployment is being deleted. */
function statusOf(result: PromiseSettledResult<true | null>): number | null {
  if (result.status === 'fulfilled') return result.value ? null : 404
  if (!(result.reason instanceof StorageFailure)) return 500
  return result.reason.reason === 'full' ? 507 : 503
}

/** Why a deployment isn't being deleted; null if it is. */
function reasonOf(result: PromiseSettledResult<true | null>, id: string): string | null {
  if (result.status === 'fulfilled') return result.value ? null : `Deployment ID ${id} not found.`
  const error: unknown = result.reason
  if (!(error instanceof StorageFailure)) return 'Internal error'
  return error.reason === 'full'
    ? "The service's disk is full."
    : "The service's database can't be used at the moment. Read the deployment before you delete it again."
}
