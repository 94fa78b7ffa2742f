import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { changeEntry } from '../access/audit'
import { requestIdOf, storageDetailOf } from '../api/errors'
import {
  bulkAnswerSchema,
  bulkParametersSchema,
  changeBodySchema,
  deletionParametersSchema,
} from '../api/life-schemas'
import {
  createBodySchema,
  deploymentAnswerSchema,
  deploymentParametersSchema,
  listParametersSchema,
  pageAnswerSchema,
} from '../api/schemas'
import { StorageFailure } from '../base/failures'
import type { Target } from '../database/deployments'
import { changed, changing, deleting, type Deletion, needsRevision } from './changes'
import { archivePathOf, createDeployment, findRef, noRef } from './creation'
import { type AddOperation, noDeployment, type RouteParts } from './operation'
import { pageBody } from './page-body'

const list = '/v2/deployments'
const one = '/v2/deployments/{deployment_id}'

/** Interface: List deployments, Create a deployment. An extension: one deployment, its changes and its deletion. */
export function addDeploymentRoutes(add: AddOperation, parts: RouteParts): void {
  const { store, archives, mode, provisionMs, log } = parts

  add(
    {
      tag: 'interface',
      method: 'get',
      path: list,
      operationId: 'listDeployments',
      summary: 'List deployments, the newest first',
      query: listParametersSchema,
      answers: {
        200: [
          'A page, with the offset of the next one. Only the last page has fewer deployments than asked for.',
          pageAnswerSchema,
        ],
      },
    },
    async ({ query, target: { tenantId } }) => {
      const now = Date.now()
      const found = await store.deployments.find({ ...query, tenantId }, now)
      const nextOffset = query.offset + (found.at(-1)?.place ?? 0)
      return pageBody(found, (batch) => store.deployments.documents(batch, now), nextOffset)
    },
  )

  add(
    {
      tag: 'interface',
      method: 'post',
      path: list,
      operationId: 'createDeployment',
      summary: 'Create a deployment, and a tracing project of the same name',
      body: createBodySchema,
      answers: { 201: ['The deployment. It is READY after a while.', deploymentAnswerSchema] },
      errors: {
        400: 'Broken JSON, or against a rule: the text says which.',
        409: 'The name is taken, by a deployment or a tracing project.',
      },
      writes: true,
    },
    ({ body, target, context }) => {
      const { name } = body
      context.set('subject', name)
      return createDeployment(parts, body, target.tenantId, (id) => changeEntry(context, { id, name }))
    },
  )

  add(
    {
      method: 'get',
      path: one,
      operationId: 'getDeployment',
      summary: 'Read one deployment',
      description: 'An extension: the interface has only the list.',
      params: deploymentParametersSchema,
      answers: { 200: ['The deployment.', deploymentAnswerSchema] },
      errors: { 404: 'No such deployment.' },
    },
    async ({ target }) => {
      const document = await store.deployments.document(target, Date.now())
      if (document === null) throw noDeployment(target)
      return document
    },
  )

  add(
    {
      method: 'patch',
      path: one,
      operationId: 'changeDeployment',
      summary: 'Change a deployment',
      description:
        'Other secrets, another source_revision_config or, for external_docker, a resource_spec make a revision.',
      params: deploymentParametersSchema,
      body: changeBodySchema,
      answers: { 200: ['The deployment.', deploymentAnswerSchema] },
      errors: {
        400: "Broken JSON, against a rule, or a member that can't be changed: the text says which.",
        404: 'No such deployment.',
        409: 'It is being deleted, or too many revisions are queued.',
      },
      writes: true,
    },
    async ({ target, body, context }) => {
      const config = body.source_revision_config
      const found = needsRevision(body) ? await findRef(parts, target, config) : noRef
      const now = Date.now()
      const about = { context, now, archivePath: archivePathOf(parts, config) }
      return changed(store, target, about, changing(body, mode, { now, durationMs: provisionMs }, found))
    },
  )

  /** Starts to delete a deployment. Its archives are removed once it is gone. */
  async function remove(context: Context, target: Target, how: Deletion): Promise<void> {
    const now = Date.now()
    const decide = deleting({ now, durationMs: provisionMs }, how)
    const { goneAt } = await changed(store, target, { context, now }, decide)
    archives?.tidyAt(goneAt)
  }

  add(
    {
      method: 'delete',
      path: one,
      operationId: 'deleteDeployment',
      summary: 'Delete a deployment',
      description:
        'It is AWAITING_DELETE for a while, then gone. Its tracing project stays, so its name stays taken, unless ' +
        '`delete_tracing_project` is true. `force` ends the wait.',
      params: deploymentParametersSchema,
      query: deletionParametersSchema,
      answers: { 204: ['It is being deleted.'] },
      errors: { 400: 'It is not AWAITING_DELETE, which `force` needs.', 404: 'No such deployment.' },
      writes: true,
    },
    async ({ target, query, context }) => {
      await remove(context, target, query)
      return null
    },
  )

  add(
    {
      method: 'delete',
      path: list,
      operationId: 'deleteDeployments',
      summary: 'Delete several deployments',
      query: bulkParametersSchema,
      answers: {
        200: ['All are being deleted.', bulkAnswerSchema],
        207: ['Some are not: each with the reason.', bulkAnswerSchema],
      },
      writes: true,
    },
    async ({ query, target: { tenantId }, context }) => {
      const ids = [...new Set(query.deployment_ids.map((id) => id.toLowerCase()))]
      const failures = new Map<string, { status: number; detail: string; fault?: unknown }>()
      await Promise.all(
        ids.map((id) =>
          remove(context, { id, tenantId }, {}).catch((fault: unknown) => {
            const { status, message: detail } = fault as HTTPException
            const isRefusal = fault instanceof HTTPException
            failures.set(id, isRefusal ? { status, detail } : { fault, ...storageDetailOf(fault) })
          }),
        ),
      )
      context.set('undone', failures)
      const faults = [...failures.values()].flatMap(({ fault }) => fault ?? [])
      if (faults.length === ids.length) throw faults[0] as Error
      for (const fault of faults)
        log.problem(
          'DELETE /v2/deployments failed in part:',
          fault instanceof StorageFailure ? fault.message : fault,
          requestIdOf(context),
        )
      const deleted = ids.filter((id) => !failures.has(id))
      const failed = ids.flatMap((id) => {
        const failure = failures.get(id)
        return failure ? [{ deployment_id: id, detail: failure.detail }] : []
      })
      return context.json({ deleted, failed }, failed.length === 0 ? 200 : 207)
    },
  )
}
