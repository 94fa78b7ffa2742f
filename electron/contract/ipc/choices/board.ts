/**
 * How much of the board is asked for at once: environments, rows, environments whose cells are read, deployments a
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
