/** How often the live list can be refreshed automatically, in seconds; 0 is never. */
export const refreshChoices = [0, 5, 15, 60] as const

export type RefreshSeconds = (typeof refreshChoices)[number]
