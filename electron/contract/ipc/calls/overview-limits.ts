/**
 * How many environments a call of the Overview reads. More are read by several calls, so that the first are shown soon.
 */
export const maxPerOverviewCall = 10

/** How many deployments of an environment are listed with their changes, those that changed last. */
export const maxChangedPerEnvironment = 100

/** At how many moments statuses are counted. */
export const statusMoments = 49
