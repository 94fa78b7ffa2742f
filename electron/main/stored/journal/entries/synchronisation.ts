import { randomUUID } from 'node:crypto'
import type { StoredSynchronisation } from '@contract'
import type { CalledPlace, SynchronisationEnd } from './types'

/**
 * The entry of a synchronisation that begins. An automatic one reuses the entry before it if that was automatic too and
 * found nothing. Otherwise there would be an entry every quarter of an hour.
 */
export function beginEntry(
  place: CalledPlace,
  automatic: boolean,
  before: StoredSynchronisation | undefined,
): StoredSynchronisation {
  const quiet = automatic && before !== undefined && wasQuiet(before)
  return {
    id: quiet ? before.id : randomUUID(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    ...place,
    kind: 'synchronisation',
    state: 'running',
    automatic,
    seen: 0,
    added: 0,
    changed: 0,
    gone: 0,
    quietBefore: quiet ? before.quietBefore + (before.state === 'complete' ? 1 : 0) : 0,
    failure: null,
  }
}

/** The entry with its end. */
export function endEntry(entry: StoredSynchronisation, end: SynchronisationEnd): StoredSynchronisation {
  const ended = { ...entry, ...end, endedAt: new Date().toISOString() }
  return wasQuiet(ended) ? ended : { ...ended, quietBefore: 0 }
}

/** The entry of a synchronisation during which the application ended without closing. */
export function interruptedEntry(entry: StoredSynchronisation): StoredSynchronisation {
  return { ...entry, state: 'interrupted', endedAt: new Date().toISOString(), quietBefore: 0 }
}

function wasQuiet({ automatic, state, added, changed, gone }: StoredSynchronisation): boolean {
  return automatic && (state === 'complete' || state === 'paused') && added + changed + gone === 0
}
