/**
 * How much of the board one call requests: environments, rows, environments whose cells are read, and deployments in a
 * cell.
 */
export const boardLimits = { columns: 1_000, rows: 100, cellColumns: 24, deployments: 20 } as const

/** How the board is shown. */
export interface BoardChoice {
  order: string[]
  hidden: string[]
  shown: string[]
  onlyDiffering: boolean
}

export const defaultBoard: BoardChoice = { order: [], hidden: [], shown: [], onlyDiffering: false }
