import type { Environment } from '@contract'
import type { BoardColumn } from '@contract/ipc/calls/board'

/** A column that is drawn. */
export interface DrawnColumn {
  environment: Environment
  index: number
  /** Where it begins and how wide it is, in pixels. */
  left: number
  width: number
  column: BoardColumn | undefined
}
