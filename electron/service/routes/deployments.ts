import type { OpenAPIHono } from '@hono/zod-openapi'
import { changeEntry } from '../access/audit'
import { answerError, requestIdOf, storageDetailOf } from '../api/errors'
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
import { StorageFailure } from '../base/storage-failure'
import type { FoundDeployment, Target } from '../database/deployments'
import { changing, deleting, type Deletion, needsRevision } from './changes'
import { createDeployment } from './creation'
import { addOperation, answerText } from './operation'
import { pageBody } from './page-body'
import { noDeployment, type RouteParts, targetOf } from './parts'
import { findRef, archivePathOf } from './revisions'
import type { AuditEntry } from '../base/audit-entry'

const list = '/v2/deployments'
const one = '/v2/deployments/{deployment_id}'

/** Interface: List deployments, Create a deployment. An extension: one deployment, its changes and its deletion. */
export function addDeploymentRoutes(app: OpenAPIHono, parts: RouteParts): void {
  const { store, archives, mode, provisionMs, log } = parts

  addOperation(
    app,
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
    async (context, { query }) => {
      const now = Date.now()
      const found = await store.deployments.find({ ...query, tenantId: context.get('caller').tenantId }, now)
      const nextOffset = query.offset + (found.at(-1)?.place ?? 0)
      const read = (batch: readonly FoundDeployment[]) => store.deployments.documents(batch, now)
      return answerText(context, pageBody(found, read, nextOffset))
    },
  )

  addOperation(
    app,
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
    async (context, { body }) => {
      context.set('subject', body.name)
      const entryOf = (id: string): AuditEntry => changeEntry(context, { id, name: body.name })
      const made = await createDeployment(parts, body, context.get('caller').tenantId, entryOf)
      if (!made.ok) return answerError(context, made.status, made.detail)
      return answerText(context, JSON.stringify(made.answer), 201)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'get',
      path: one,
      operationId: 'getDeployment',
      summary: 'Read one deployment',
      description: 'An extension: the interface has only the list.',
      params: deploymentParametersSchema,
      answers: { 200: ['The deployment.', deploymentAnswerSchema] },
      errors: { 404: 'No such deployment.' },
    },
    async (context, { params }) => {
      const target = targetOf(context, params)
      const document = await store.deployments.document(target, Date.now())
      return document === null ? noDeployment(context, target) : answerText(context, document)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
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
    async (context, { params, body }) => {
      const target = targetOf(context, params)
      const checks = needsRevision(body)
      const checked = await findRef(parts, checks, target, body.source_revision_config)
      if (checked === null) return noDeployment(context, target)
      if (!checked.ok) return answerError(context, 400, checked.detail)
      const pace = { now: Date.now(), durationMs: provisionMs }
      const changed = await store.change(
        target,
        {
          now: pace.now,
          entry: changeEntry(context),
          archivePath: archivePathOf(parts, body.source_revision_config),
        },
        changing(body, mode, pace, checked.found),
      )
      if (changed === null) return noDeployment(context, target)
      if (!changed.ok) return answerError(context, changed.status, changed.detail)
      return answerText(context, JSON.stringify(changed.value))
    },
  )

  /** Starts to delete a deployment. Its archives are removed once it is gone. */
  async function remove(target: Target, how: Deletion, entry: AuditEntry) {
    const pace = { now: Date.now(), durationMs: provisionMs }
    const deleted = await store.change(target, { now: pace.now, entry }, deleting(pace, how))
    if (deleted?.ok) archives?.tidyAt(pace.now + (how.force ? 0 : provisionMs))
    return deleted
  }

  addOperation(
    app,
    {
      tag: 'extension',
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
    async (context, { params, query }) => {
      const target = targetOf(context, params)
      const deleted = await remove(target, query, changeEntry(context))
      if (deleted === null) return noDeployment(context, target)
      return deleted.ok ? context.body(null, 204) : answerError(context, deleted.status, deleted.detail)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
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
    async (context, { query }) => {
      const ids = [...new Set(query.deployment_ids.map((id) => id.toLowerCase()))]
      const { tenantId } = context.get('caller')
      const failures: { id: string; status: number; detail: string; error?: unknown }[] = []
      await Promise.all(
        ids.map(async (id) => {
          try {
            if ((await remove({ id, tenantId }, {}, changeEntry(context, { id }))) === null)
              failures.push({ id, status: 404, detail: `Deployment ID ${id} not found.` })
          } catch (error) {
            failures.push({ id, error, ...storageDetailOf(error) })
          }
        }),
      )
      context.set('undone', failures)
      const faults = failures.filter(({ error }) => error !== undefined)
      if (faults.length === ids.length) throw faults[0]!.error
      for (const { error } of faults)
        log.problem(
          'DELETE /v2/deployments failed in part:',
          error instanceof StorageFailure ? error.message : error,
          requestIdOf(context),
        )
      const undone = new Map(failures.map(({ id, detail }) => [id, detail]))
      const failed = ids
        .filter((id) => undone.has(id))
        .map((id) => ({ deployment_id: id, detail: undone.get(id)! }))
      const deleted = ids.filter((id) => !undone.has(id))
      return context.json({ deleted, failed }, failed.length === 0 ? 200 : 207)
    },
  )
}
