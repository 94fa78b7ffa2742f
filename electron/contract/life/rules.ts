/** Rules about revisions and logs that the window needs too. Free of zod, which takes long to load there. */
import type { ChangeKind } from './changes'
import type { LifeOperation } from './offers'
import type { FailedRevision, Revision } from './revisions'

/** Whether a revision's creation, build or deployment failed. */
export const isFailedRevision = (status: string): boolean => /FAILED$/.test(status)

/** What is told of a deployment's revision that failed; nothing of any other. */
export function failedOf(deploymentId: string, revision: Revision): FailedRevision[] {
  const { id: revisionId, status, status_message: message, updated_at: at } = revision
  return isFailedRevision(status) ? [{ deploymentId, revisionId, status, message, at }] : []
}

/** Whether a revision is on its way: it soon has another status without a request. */
export const isRevisionUnderWay = (status: string): boolean =>
  /^(?:CREATING|QUEUED|AWAITING_|BUILDING|DEPLOYING)/.test(status)

/** The operation of a service that makes a change, given what it offers. */
export function operationOf(kind: ChangeKind, operations: readonly LifeOperation[]): LifeOperation {
  switch (kind) {
    case 'revision':
      return operations.includes('new-revision') ? 'new-revision' : 'change'
    case 'secrets':
    case 'resources':
    case 'settings':
      return 'change'
    case 'roll-back':
      return 'redeploy'
    default:
      return kind
  }
}

/** The longest part of a log that is saved, in characters. */
export const longestSavedLog = 5_000_000
