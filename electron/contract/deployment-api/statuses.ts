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
