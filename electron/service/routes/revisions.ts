import { splitIds } from '@contract'
import {
  revisionAnswerSchema,
  revisionBodySchema,
  revisionPageSchema,
  revisionParametersSchema,
  revisionPathSchema,
  type RevisionStatus,
} from '../api/life-schemas'
import { deploymentAnswerSchema, deploymentParametersSchema } from '../api/schemas'
import type { FoundRevision } from '../database/revisions'
import { changed, interrupting, redeploying, revisionAnswer, revising } from './changes'
import { archivePathOf, findRef } from './creation'
import { type AddOperation, deploymentOf, noRevision, type RouteParts } from './operation'
import { pageBody } from './page-body'

const path = '/v2/deployments/{deployment_id}/revisions'
const one = `${path}/{revision_id}`
const noSuchDeployment = 'No such deployment.'
const noSuchRevision = 'No such deployment, or it has no such revision.'
const isBusy = 'The deployment is being deleted, or too many revisions are queued.'

/** An extension: the revisions of a deployment. */
export function addRevisionRoutes(add: AddOperation, parts: RouteParts): void {
  const { store, provisionMs } = parts
  const paceNow = () => ({ now: Date.now(), durationMs: provisionMs })

  add(
    {
      method: 'get',
      path,
      operationId: 'listRevisions',
      summary: 'List the revisions of a deployment, the newest first',
      params: deploymentParametersSchema,
      query: revisionParametersSchema,
      answers: { 200: ['A page, with the offset of the next one.', revisionPageSchema] },
      errors: { 404: noSuchDeployment },
    },
    async ({ target, query: { limit, offset, status } }) => {
      // The rest of the deployment isn't held in memory while the page is written.
      const { source } = await deploymentOf(store, target)
      const statuses = splitIds(status) as RevisionStatus[]
      const found = await store.revisions.find(target, { limit, offset, statuses }, Date.now())
      const read = async (batch: readonly FoundRevision[]): Promise<string[]> =>
        (await store.revisions.complete(batch)).map((each) => JSON.stringify(revisionAnswer(each, source)))
      return pageBody(found, read, offset + found.length)
    },
  )

  add(
    {
      method: 'get',
      path: one,
      operationId: 'getRevision',
      summary: 'Read a revision',
      params: revisionPathSchema,
      answers: { 200: ['The revision.', revisionAnswerSchema] },
      errors: { 404: noSuchRevision },
    },
    async ({ target, params: { revision_id: id } }) => {
      const found = await store.revisions.get(target, id, Date.now())
      if (found === null) throw noRevision(id)
      return revisionAnswer(found, (await deploymentOf(store, target)).source)
    },
  )

  add(
    {
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
    async ({ target, body, context }) => {
      const config = body.source_revision_config
      const found = await findRef(parts, target, config)
      const pace = paceNow()
      const about = { context, now: pace.now, archivePath: archivePathOf(parts, config) }
      return changed(store, target, about, revising(body, pace, found))
    },
  )

  add(
    {
      method: 'post',
      path: `${one}/redeploy`,
      operationId: 'redeployRevision',
      summary: 'Deploy again what a revision has',
      params: revisionPathSchema,
      answers: { 200: ['The deployment, with the revision that this makes.', deploymentAnswerSchema] },
      errors: { 404: noSuchRevision, 409: isBusy },
      writes: true,
    },
    ({ target, params: { revision_id: revisionId }, context }) => {
      const pace = paceNow()
      return changed(store, target, { context, now: pace.now, revisionId }, redeploying(revisionId, pace))
    },
  )

  for (const [segment, operationId] of [
    ['interrupt', 'interruptRevision'],
    ['interruption', 'interruptRevisionByItsOtherName'],
  ] as const) {
    add(
      {
        method: 'post',
        path: `${one}/${segment}`,
        operationId,
        summary: 'End a revision before it is deployed',
        params: revisionPathSchema,
        answers: { 200: ['The revision.', revisionAnswerSchema] },
        errors: { 404: noSuchRevision, 409: 'It is deployed, or its build has failed.' },
        writes: true,
      },
      ({ target, params: { revision_id: revisionId }, context }) => {
        const now = Date.now()
        return changed(store, target, { context, now, revisionId }, interrupting(revisionId, now))
      },
    )
  }
}
