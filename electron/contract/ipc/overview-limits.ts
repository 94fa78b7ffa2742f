/**
 * How many environments a call of the Overview reads. More are read by several calls, so that the first are shown soon.
 */
export const maxPerOverviewCall = 10
