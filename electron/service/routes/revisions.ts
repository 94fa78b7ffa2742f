import type { OpenAPIHono } from '@hono/zod-openapi'
import { splitIds } from '@contract'
import { changeEntry } from '../access/audit'
import { answerError } from '../api/errors'
import {
  revisionAnswerSchema,
  revisionBodySchema,
  type RevisionBody,
  revisionPageSchema,
  revisionParametersSchema,
  revisionPathSchema,
} from '../api/life-schemas'
import type { RevisionStatus } from '../api/revision-statuses'
import { deploymentAnswerSchema, deploymentParametersSchema } from '../api/schemas'
import { namedArchive } from '../database/archives'
import type { Target } from '../database/deployments'
import type { FoundRevision, Revision } from '../database/revisions'
import { type FoundRef, interrupting, redeploying, revisionAnswer, revising } from './changes'
import { detailOf } from './creation'
import { addOperation, answerText } from './operation'
import { pageBody } from './page-body'
import { noDeployment, noRevision, type RouteParts, targetOf } from './parts'
import { checkReference } from './reference'

const path = '/v2/deployments/{deployment_id}/revisions'
const one = `${path}/{revision_id}`
const noSuchDeployment = 'No such deployment.'
const noSuchRevision = 'No such deployment, or it has no such revision.'
const isBusy = 'The deployment is being deleted, or too many revisions are queued.'

/** An extension: the revisions of a deployment. */
export function addRevisionRoutes(app: OpenAPIHono, parts: RouteParts): void {
  const { store, provisionMs, checksRepositories } = parts
  const paceNow = () => ({ now: Date.now(), durationMs: provisionMs })

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'get',
      path,
      operationId: 'listRevisions',
      summary: 'List the revisions of a deployment, the newest first',
      params: deploymentParametersSchema,
      query: revisionParametersSchema,
      answers: { 200: ['A page, with the offset of the next one.', revisionPageSchema] },
      errors: { 404: noSuchDeployment },
    },
    async (context, { params, query: { limit, offset, status } }) => {
      const target = targetOf(context, params)
      const now = Date.now()
      const deployment = await store.deployments.get(target, now)
      if (deployment === null) return noDeployment(context, target)
      // The rest of the deployment isn't held in memory while the page is written.
      const { source } = deployment
      const statuses = splitIds(status) as RevisionStatus[]
      const found = await store.revisions.find(target, { limit, offset, statuses }, now)
      const textOf = (revision: Revision): string => JSON.stringify(revisionAnswer(revision, source))
      const items = found.map((each) => {
        const { config } = each
        return { ...each, document: config === null ? null : textOf({ ...each, config }) }
      })
      const read = async (batch: readonly FoundRevision[]): Promise<string[]> =>
        (await store.revisions.complete(batch)).map(textOf)
      return answerText(context, pageBody(items, read, offset + found.length))
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'get',
      path: one,
      operationId: 'getRevision',
      summary: 'Read a revision',
      params: revisionPathSchema,
      answers: { 200: ['The revision.', revisionAnswerSchema] },
      errors: { 404: noSuchRevision },
    },
    async (context, { params }) => {
      const target = targetOf(context, params)
      const now = Date.now()
      const deployment = await store.deployments.get(target, now)
      const found = await store.revisions.get(target, params.revision_id, now)
      if (deployment === null || found === null) return noRevision(context, params.revision_id)
      return context.json(revisionAnswer(found, deployment.source), 200)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'post',
      path,
      operationId: 'createRevision',
      summary: 'Create a revision',
      params: deploymentParametersSchema,
      body: revisionBodySchema,
      answers: { 201: ['The revision.', revisionAnswerSchema] },
      errors: {
        400: 'Broken JSON, an archive that is not there, or a ref that is not known: the text says which.',
        404: noSuchDeployment,
        409: isBusy,
      },
      writes: true,
    },
    async (context, { params, body }) => {
      const target = targetOf(context, params)
      const config = body.source_revision_config
      const checked = await findRef(parts, checksRepositories, target, config)
      if (checked === null) return noDeployment(context, target)
      if (!checked.ok) return answerError(context, 400, checked.detail)
      const pace = paceNow()
      const made = await store.change(
        target,
        { now: pace.now, entry: changeEntry(context), archivePath: archivePathOf(parts, config) },
        revising(body, pace, checked.found),
      )
      if (made === null) return noDeployment(context, target)
      return made.ok ? context.json(made.value, 201) : answerError(context, made.status, made.detail)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'post',
      path: `${one}/redeploy`,
      operationId: 'redeployRevision',
      summary: 'Deploy again what a revision has',
      params: revisionPathSchema,
      answers: { 200: ['The deployment, with the revision that this makes.', deploymentAnswerSchema] },
      errors: { 404: noSuchRevision, 409: isBusy },
      writes: true,
    },
    async (context, { params }) => {
      const target = targetOf(context, params)
      const pace = paceNow()
      const made = await store.change(
        target,
        { now: pace.now, entry: changeEntry(context), revisionId: params.revision_id },
        redeploying(params.revision_id, pace),
      )
      if (made === null) return noDeployment(context, target)
      if (!made.ok) return answerError(context, made.status, made.detail)
      return answerText(context, JSON.stringify(made.value))
    },
  )

  for (const [segment, operationId] of [
    ['interrupt', 'interruptRevision'],
    ['interruption', 'interruptRevisionByItsOtherName'],
  ] as const) {
    addOperation(
      app,
      {
        tag: 'extension',
        method: 'post',
        path: `${one}/${segment}`,
        operationId,
        summary: 'End a revision before it is deployed',
        params: revisionPathSchema,
        answers: { 200: ['The revision.', revisionAnswerSchema] },
        errors: { 404: noSuchRevision, 409: 'It is deployed, or its build has failed.' },
        writes: true,
      },
      async (context, { params }) => {
        const target = targetOf(context, params)
        const pace = paceNow()
        const ended = await store.change(
          target,
          { now: pace.now, entry: changeEntry(context), revisionId: params.revision_id },
          interrupting(params.revision_id, pace),
        )
        if (ended === null) return noDeployment(context, target)
        return ended.ok ? context.json(ended.value, 200) : answerError(context, ended.status, ended.detail)
      },
    )
  }
}

type RequestedConfig = RevisionBody['source_revision_config']

/** The path of an archive that a request names, if the service has archives; otherwise null. */
export function archivePathOf({ archives }: RouteParts, config: RequestedConfig): string | null {
  return archives === null ? null : namedArchive(config)
}

/**
 * Makes sure that a deployment can get a revision with the config of a request: its repository and ref are known where
 * that is checked. Gives the ref, or the text of a refusal; null if there is no such deployment.
 */
export async function findRef(
  { store, checksRepositories }: RouteParts,
  isNeeded: boolean,
  target: Target,
  config: RequestedConfig,
): Promise<{ ok: true; found: FoundRef } | { ok: false; detail: string } | null> {
  if (!isNeeded || !checksRepositories) return { ok: true, found: { ref: null, commit: null } }
  const deployment = await store.deployments.get(target, Date.now())
  if (deployment === null) return null
  const ref = config?.repo_ref ?? deployment.source_revision_config.repo_ref
  const referring = { ...deployment, source_revision_config: { repo_ref: ref } }
  const reference = await checkReference(store.repositories, referring, target.tenantId)
  if (!reference.ok) return { ok: false, detail: detailOf(reference.finding) }
  return { ok: true, found: { ref, commit: reference.commit } }
}
