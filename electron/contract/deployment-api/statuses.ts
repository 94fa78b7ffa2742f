/** The statuses that the interface names. An answer may have others, which are kept and shown. */
export const deploymentStatuses = [
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
] as const

/** Whether a status soon changes without a request (interface: States). */
export const isUnsettled = (status: string): boolean => status === 'AWAITING_DATABASE'

export type DeploymentStatus = (typeof deploymentStatuses)[number]

/**
 * Statuses that a deployment leaves without a request. The interface (States) shows no transitions, but the names say
 * so.
 */
export const statusesUnderWay: readonly string[] = [
  'AWAITING_DATABASE',
  'AWAITING_DELETE',
] satisfies DeploymentStatus[]

/** The members of a deployment that tell whether it is rolling out. */
export interface RolloutMembers {
  status: string
  latest_revision_id: string | null
  active_revision_id: string | null
  gone_at?: string | null
}

/** Whether a status is about a deletion, in the interface's word or in one that a service has beside it. */
const isDeletion = (status: string): boolean => /delet|terminat/i.test(status)

/**
 * Whether a deployment is rolling out: it awaits its database, or its latest revision isn't active yet. What is deleted
 * or about to be never is. The cache has the same rule as SQL (`rollingOut` in `electron/cache/store/query`).
 */
export function isRollingOut({
  status,
  latest_revision_id: latest,
  active_revision_id: active,
  gone_at: goneAt,
}: RolloutMembers): boolean {
  if (goneAt || isDeletion(status)) return false
  return isUnsettled(status) || (latest !== null && latest !== active)
}
