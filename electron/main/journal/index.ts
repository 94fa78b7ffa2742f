import { randomUUID } from 'node:crypto'
import { type CreationEntry, type Failure, failure, type JournalEntry } from '@contract'
import { JournalFile } from './journal-file'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** How a creation ended. */
export type CreationEnd =
  { state: 'created'; deploymentId: string } | { state: 'refused' | 'unclear'; failure: Failure }

/** The local journal: what was created from this machine, and which calls failed. */
export interface Journal {
  /** The newest entries, newest first. */
  list: (limit: number) => Promise<JournalEntry[]>
  /** Opens the entry of a creation; it is on disk when this resolves. Rejects where it cannot be written. */
  beginCreation: (place: JournalPlace, what: { name: string; source: string }) => Promise<string>
  endCreation: (id: string, end: CreationEnd) => Promise<void>
  /** Notes a call that failed, such as "List deployments"; the same failure only once a minute. */
  noteFailure: (place: JournalPlace, action: string, startedAt: Date, reason: Failure) => Promise<void>
}

/** How many entries are kept, and with how many superseded lines more the file is written anew. */
const limits = { entries: 5000, extraLines: 5000 } as const

const sameFailureMs = 60_000

/** What became of a creation during which the application ended. */
const interrupted = failure('connection-lost', 'Slipway ended before the answer came.', {
  advice: 'It is not known whether the deployment was created; look for it in the list before sending again.',
})

/**
 * Keeps the journal in the file `path`, which is read when it is first needed. `changed` is called with every
 * entry that is new or has changed, `report` with what went wrong in writing an entry that is not indispensable.
 */
export function createJournal(
  path: string,
  changed: (entry: JournalEntry) => void,
  report: (error: unknown) => void,
): Journal {
  const file = new JournalFile(path)
  const entries = new Map<string, JournalEntry>()
  let loaded: Promise<void> | null = null
  let lastWrite: Promise<unknown> = Promise.resolve()

  /** One write after the other: the lines of an entry stay in their order. */
  const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
    const result = lastWrite.then(write)
    lastWrite = result.catch(() => undefined)
    return result
  }

  const load = (): Promise<void> => {
    loaded ??= inTurn(async () => {
      for (const entry of await file.read()) entries.set(entry.id, entry)
      for (const entry of entries.values()) {
        if (entry.kind === 'creation' && entry.state === 'sending') await store(asInterrupted(entry))
      }
    }).catch((error: unknown) => {
      loaded = null
      throw error
    })
    return loaded
  }

  const store = async (entry: JournalEntry): Promise<void> => {
    entries.set(entry.id, entry)
    await file.append(entry)
    await compact()
  }

  const compact = async (): Promise<void> => {
    if (file.lines <= limits.entries + limits.extraLines) return
    const kept = [...entries.values()].slice(-limits.entries)
    await file.rewrite(kept)
    entries.clear()
    for (const entry of kept) entries.set(entry.id, entry)
  }

  /** Writes an entry whose loss is worth a report, but not the failure of what it is about. */
  const note = async (entry: JournalEntry): Promise<void> => {
    await inTurn(() => store(entry)).catch(report)
    changed(entry)
  }

  return {
    list: async (limit) => {
      await load()
      return [...entries.values()].slice(-limit).reverse()
    },

    beginCreation: async (place, { name, source }) => {
      await load()
      const entry: CreationEntry = {
        id: randomUUID(),
        startedAt: new Date().toISOString(),
        endedAt: null,
        ...place,
        kind: 'creation',
        state: 'sending',
        name,
        source,
        deploymentId: null,
        failure: null,
      }
      await inTurn(() => store(entry)).catch((error: unknown) => {
        entries.delete(entry.id)
        throw error
      })
      changed(entry)
      return entry.id
    },

    endCreation: async (id, end) => {
      const entry = entries.get(id)
      if (entry?.kind !== 'creation') return
      await note({
        ...entry,
        endedAt: new Date().toISOString(),
        state: end.state,
        deploymentId: end.state === 'created' ? end.deploymentId : null,
        failure: end.state === 'created' ? null : end.failure,
      })
    },

    noteFailure: async (place, action, startedAt, reason) => {
      await load()
      const now = new Date()
      const known = [...entries.values()].some(
        (entry) =>
          entry.kind === 'failure' &&
          entry.environmentId === place.environmentId &&
          entry.action === action &&
          entry.failure.code === reason.code &&
          entry.failure.message === reason.message &&
          entry.failure.serviceWords === reason.serviceWords &&
          now.getTime() - Date.parse(entry.startedAt) < sameFailureMs,
      )
      if (known) return
      await note({
        id: randomUUID(),
        startedAt: startedAt.toISOString(),
        endedAt: now.toISOString(),
        ...place,
        kind: 'failure',
        action,
        failure: reason,
      })
    },
  }
}

function asInterrupted(entry: CreationEntry): CreationEntry {
  return { ...entry, state: 'unclear', endedAt: new Date().toISOString(), failure: interrupted }
}
