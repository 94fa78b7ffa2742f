import { randomBytes } from 'node:crypto'
import { type CallOutput, fail, type Outcome, type ParsedCallInput, succeed } from '@contract'
import { existsIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import { createSnapshot, type Snapshot, type BoardOptions } from './snapshot'

/** The board: agents by environments. */
export interface Board {
  /** Answers `board.page`. */
  page: (
    input: ParsedCallInput<'board.page'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'board.page'>>>
}

/** How many snapshots are kept: one for each choice of environments and filters. */
const maxSnapshots = 3

/** Creates the board. It reads caches alone, and sends nothing. */
export function createBoard(options: BoardOptions): Board {
  const snapshots = new Map<string, Snapshot>()
  const exists = existsIn(options.environments)

  return {
    async page(input, signal) {
      const { snapshot: named, search, onlyDiffering } = input
      const name = named ?? randomBytes(8).toString('hex')
      let snapshot = snapshots.get(name)
      if (!snapshot) {
        if (named !== null) return fail(environmentChangedFailure)
        const environmentIds = [...new Set(input.environmentIds)].filter(exists)
        snapshot = createSnapshot(options, { environmentIds, search, onlyDiffering })
        snapshots.set(name, snapshot)
        for (const [oldest, old] of [...snapshots].slice(0, -maxSnapshots)) {
          old.stop()
          snapshots.delete(oldest)
        }
      }
      const page = await snapshot.page(input, signal)
      if (!page.ok) snapshots.delete(name)
      return page.ok ? succeed({ snapshot: name, ...page.value }) : page
    },
  }
}
