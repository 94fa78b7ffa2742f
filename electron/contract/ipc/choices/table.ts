/** How high the rows of the deployments table are. */
export const rowHeights = ['compact', 'comfortable'] as const
export type RowHeight = (typeof rowHeights)[number]

/** The smallest and largest width of a column, in pixels. */
export const columnWidths = { min: 56, max: 1_200 } as const

/** The most columns, and the longest name of one: far more than the table has. */
export const columnLimits = { columns: 50, keyLength: 40 } as const

/** How a column of the deployments table is shown. */
export interface ColumnChoice {
  key: string
  isShown: boolean
  /** In pixels; null for the default width. */
  width: number | null
}
