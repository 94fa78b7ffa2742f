import { join } from 'node:path'
import type { StateChange, StateRequest, StateRow, StateTable, StateValues } from '@contract/app/processes'
import { createStateHandler } from '../../../../electron/cache/state'

/** `state.db` of a data folder, opened beside the application. Without a key, only the journal is readable, if plain. */
function openState(userData: string, key: string | null): (request: StateRequest) => unknown {
  const answer = createStateHandler()
  const ask = (request: StateRequest): unknown => {
    const reply = answer(request)
    if (!reply.ok || reply.setAside) throw new Error(reply.ok ? reply.setAside?.name : reply.message)
    return reply.value
  }
  ask({ op: 'open', file: join(userData, 'state.db') })
  if (key !== null) ask({ op: 'unlock', key })
  return ask
}

/** The texts of a table. */
export function readState(userData: string, table: StateTable, key: string | null): StateRow[] {
  return (openState(userData, key)({ op: 'read', table }) as StateValues['read']).rows
}

/** Changes a table. Without a key, only the journal can be written. */
export function writeState(
  userData: string,
  table: StateTable,
  changes: StateChange[],
  key: string | null = null,
): void {
  openState(userData, key)({ op: 'write', table, changes })
}

/** Writes entries of the journal, as Slipway does without a keychain. */
export const writeJournal = (userData: string, entries: readonly { id: string }[]): void =>
  writeState(
    userData,
    'journal',
    entries.map((entry) => ({ id: entry.id, text: JSON.stringify(entry) })),
  )
