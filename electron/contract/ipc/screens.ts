/**
 * How much of the board one call requests: environments, rows, environments whose cells are read, and deployments in a
 * cell.
 */
export const boardLimits = { columns: 1_000, rows: 100, cellColumns: 24, deployments: 20 } as const

/** How the board is shown until the operator changes it. */
export const defaultBoard: { order: string[]; columns: Record<string, boolean>; onlyDiffering: boolean } = {
  order: [],
  columns: {},
  onlyDiffering: false,
}

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

export const panelWidths = { min: 360, default: 480, max: 720 } as const satisfies Widths

export const defaultPanel: { isOpen: boolean; width: number } = { isOpen: false, width: panelWidths.default }

/** How often the live list can be refreshed automatically, in seconds; 0 is never. */
export const refreshChoices = [0, 5, 15, 60] as const

export type RefreshSeconds = (typeof refreshChoices)[number]

export const defaultRefresh: RefreshSeconds = 15

/** The longest identifier of a deployment that is remembered with the last screen, in characters. Free of zod. */
export const longestScreenId = 300

export const rowHeights = ['compact', 'comfortable'] as const
export type RowHeight = (typeof rowHeights)[number]

export const columnWidths = { min: 56, max: 1_200 } as const

/** The most columns, and the longest name of one: far more than the table has. */
export const columnLimits = { columns: 50, keyLength: 40 } as const

/** The smallest, the default and the largest width of a part of the window whose edge can be moved, in pixels. */
export interface Widths {
  min: number
  default: number
  max: number
}

/** The widths of the request beside the creation form. It is usually wider in a wide window. */
export const previewWidths = { min: 320, default: 360, max: 720 } as const satisfies Widths

/** A width within its limits, in whole pixels. */
export const widthWithin = ({ min, max }: Omit<Widths, 'default'>, pixels: number): number =>
  Math.round(Math.min(max, Math.max(min, pixels)))

/**
 * How many environments a call of the Overview reads. More are read by several calls, so that the first are shown soon.
 */
export const maxPerOverviewCall = 10

/** How many deployments of an environment are listed with their changes, those that changed last. */
export const maxChangedPerEnvironment = 100

/** At how many moments statuses are counted. */
export const statusMoments = 49
