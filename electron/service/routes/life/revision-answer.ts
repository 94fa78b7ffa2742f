import type { z } from '@hono/zod-openapi'
import type { revisionAnswerSchema } from '../../api/life-schemas'
import type { DeploymentAnswer } from '../../api/schemas'
import type { Revision } from '../../database/store'

export type RevisionAnswer = z.infer<typeof revisionAnswerSchema>

/** The answer for a revision of a deployment with this source. */
export function revisionAnswer(revision: Revision, source: DeploymentAnswer['source']): RevisionAnswer {
  return {
    id: revision.id,
    status: revision.status,
    source,
    source_revision_config: JSON.parse(revision.config) as DeploymentAnswer['source_revision_config'],
    created_at: revision.createdAt,
    updated_at: revision.updatedAt,
  }
}
