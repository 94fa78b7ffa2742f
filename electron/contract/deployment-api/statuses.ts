/** The statuses that the interface names. A service may answer others; they are kept and shown. */
export const deploymentStatuses = [
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
] as const

export type DeploymentStatus = (typeof deploymentStatuses)[number]
