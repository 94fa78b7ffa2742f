/** How often an environment can be synchronised by itself, in minutes; 0 is never. */
export const syncIntervals = [0, 5, 15, 60, 240] as const
