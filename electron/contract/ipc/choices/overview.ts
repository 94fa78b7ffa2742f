/** After how many minutes a deployment that is rolling out or awaiting something needs attention. */
export const stuckChoices = [10, 30, 60, 240] as const

export type StuckMinutes = (typeof stuckChoices)[number]

/** The periods for changes: the last 24 hours, the last 7 days, and since the Overview was last left. */
export const changePeriods = ['last', 'day', 'week'] as const

export type ChangePeriod = (typeof changePeriods)[number]

/** How the Overview is shown until the operator changes it. A first deployment takes about 14 minutes. */
export const defaultOverview: { stuckMinutes: StuckMinutes; period: ChangePeriod; leftAt: string | null } = {
  stuckMinutes: 30,
  period: 'day',
  leftAt: null,
}
