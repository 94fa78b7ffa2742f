/** The statuses that the interface names. A service may answer others, which are kept and shown. */
export const deploymentStatuses = [
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
] as const

/** Whether a status soon changes by itself (interface: States). */
export const isUnsettled = (status: string): boolean => status === 'AWAITING_DATABASE'

export type DeploymentStatus = (typeof deploymentStatuses)[number]

/** Statuses that a deployment leaves by itself (interface: States shows no transitions; the names say so). */
export const statusesUnderWay: readonly string[] = [
  'AWAITING_DATABASE',
  'AWAITING_DELETE',
] satisfies DeploymentStatus[]
