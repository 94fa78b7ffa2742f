/** After how many minutes a deployment that is rolling out or awaiting something needs attention. */
export const stuckChoices = [10, 30, 60, 240] as const

export type StuckMinutes = (typeof stuckChoices)[number]

/** A first deployment takes about 14 minutes. */
export const defaultStuckMinutes: StuckMinutes = 30
