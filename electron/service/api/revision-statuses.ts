/** The statuses of a revision that is rolling out, each for a quarter of the time between its start and its end. */
export const revisionSteps = ['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'] as const

/** The statuses that a revision of this service can have. */
export const revisionStatuses = [
  'QUEUED',
  ...revisionSteps,
  'DEPLOYED',
  'BUILD_FAILED',
  'INTERRUPTED',
] as const

export type RevisionStatus = (typeof revisionStatuses)[number]
