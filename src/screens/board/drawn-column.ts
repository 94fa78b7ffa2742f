import type { Environment } from '@contract'
import type { BoardColumn } from '@contract/ipc/calls/caches'

/** A column that is drawn. */
export interface DrawnColumn {
  environment: Environment
  index: number
  /** Its left edge and its width, in pixels. */
  left: number
  width: number
  column: BoardColumn | undefined
}
