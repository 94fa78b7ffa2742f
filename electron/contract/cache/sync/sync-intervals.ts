/** How often an environment can be synchronised in the background, in minutes; 0 is never. */
export const syncIntervals = [0, 5, 15, 60, 240] as const

export const defaultSyncInterval: (typeof syncIntervals)[number] = 15
