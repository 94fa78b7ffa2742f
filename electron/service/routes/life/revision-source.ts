import type { z } from '@hono/zod-openapi'
import type { revisionBodySchema } from '../../api/life-schemas'
import type { SourceRevisionConfigAnswer } from '../../api/schemas'
import type { Target } from '../../database/store'
import { detailOf } from '../creation'
import type { RouteParts } from '../parts/route-parts'
import { namedArchive, whyNotNameable } from '../parts/named-archive'
import { readDeployment } from '../parts/read-deployment'
import { checkReference } from '../parts/reference'

/** A ref that was looked up, and its commit. Both are null if none was, or no commit is known. */
export interface FoundRef {
  ref: string | null
  commit: string | null
}

type RequestedConfig = z.infer<typeof revisionBodySchema>['source_revision_config']

/**
 * Makes sure that a deployment can get a revision from a request: its archive is kept, and its repository and ref are
 * known where that is checked. Gives the ref, or the status and text of a refusal.
 */
export async function checkRevisionSource(
  { store, archives }: RouteParts,
  checksRepositories: boolean,
  target: Target,
  config: RequestedConfig,
): Promise<{ ok: true; found: FoundRef } | { ok: false; status: 400 | 404; detail: string }> {
  const found: FoundRef = { ref: null, commit: null }
  const path = archives === null ? null : namedArchive(config)
  if (path === null && !checksRepositories) return { ok: true, found }
  const deployment = await readDeployment(store, target, new Date().toISOString())
  if (deployment === null) return { ok: false, status: 404, detail: `Deployment ID ${target.id} not found.` }
  const { tenantId } = target
  if (checksRepositories) {
    found.ref = config?.repo_ref ?? deployment.source_revision_config.repo_ref
    const referring = { ...deployment, source_revision_config: { repo_ref: found.ref } }
    const reference = await checkReference(store.repositories, referring, tenantId)
    if (!reference.ok) return { ok: false, status: 400, detail: detailOf(reference.finding) }
    found.commit = reference.commit
  }
  if (archives !== null && path !== null) {
    const detail = await whyNotNameable(archives, { tenantId, deploymentId: deployment.id }, path)
    if (detail !== null) return { ok: false, status: 400, detail }
  }
  return { ok: true, found }
}

/**
 * The config of a revision, with the commit of its ref if that was found. Another request may have changed the ref
 * since.
 */
export function withCommit(
  config: SourceRevisionConfigAnswer,
  { ref, commit }: FoundRef,
): SourceRevisionConfigAnswer {
  return { ...config, repo_commit_sha: config.repo_ref === ref ? commit : null }
}
