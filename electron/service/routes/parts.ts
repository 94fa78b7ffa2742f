import type { Context } from 'hono'
import type { EnvironmentMode } from '@contract'
import { answerError } from '../api/errors'
import type { Log } from '../base/log'
import type { Archives } from '../archives'
import type { Target } from '../database/deployments'
import type { Store } from '../database/store'

/** What the operations about deployments use. */
export interface RouteParts {
  store: Store
  /** Null if the service doesn't store archives. */
  archives: Archives | null
  log: Log
  mode: EnvironmentMode
  /** How long a deployment, a revision or a deletion takes, in milliseconds. */
  provisionMs: number
  /** Whether a repository, its integration and its ref must be known. */
  checksRepositories: boolean
}

/** The deployment that a request is about. */
export function targetOf(context: Context, { deployment_id }: { deployment_id: string }): Target {
  return { id: deployment_id, tenantId: context.get('caller').tenantId }
}

export const noDeployment = (context: Context, { id }: Pick<Target, 'id'>): Response =>
  answerError(context, 404, `Deployment ID ${id} not found.`)

export const noRevision = (context: Context, id: string): Response =>
  answerError(context, 404, `Revision ID ${id} not found.`)
