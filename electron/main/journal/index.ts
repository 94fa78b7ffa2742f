import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import {
  failure,
  isRefusedOutside,
  isUnconfirmed,
  type JournalEntry,
  type JournalGap,
  passesFilter,
  shownCreation,
  type StoredCreation,
  type StoredEntry,
  type StoredFailure,
  type SynchronisationEntry,
} from '@contract'
import { ChangedFileError } from '../files/append'
import { bounded, withoutMembers } from './entries/bounded'
import { kept, mayBeRewritten } from './compaction'
import { gapEntry, gapNotice, isOpen, lockedNotice, newerNotice, withTimePassed } from './entries/gap'
import type { JournalFile } from './file/journal-file'
import { joined, put } from './file/reading'
import { FullJournalError, JournalError, room } from './file/size-limits'
import type { RegainedJournal } from './file/set-aside'
import { beginEntry, endEntry, interruptedEntry } from './entries/synchronisation'
import type { Journal, IncompleteReason, LookupNote } from './types'

export { FullJournalError, JournalError } from './file/size-limits'
export type { CreationEnd, Journal, IncompleteReason, LookupNote, SynchronisationEnd } from './types'

const sameFailureMs = 60_000

/** By how much the file grows before it is worth writing it anew once more, in bytes. */
const rewriteAgainAfter = 4 * 1024 * 1024

/** What became of a creation during which the application ended. */
const interrupted = failure('connection-lost', 'Slipway ended before the answer came.', {
  advice: 'It is not known whether the deployment was created. Slipway looks for it in the list.',
  sent: 'maybe',
})

/**
 * Keeps the journal in `file`, which is read when it is first needed, and again once lines can be read that were
 * encrypted with a key which the keychain did not give out before. `changed` is called with every
 * entry that is new or has changed, `report` with what went wrong in writing an entry that is not indispensable,
 * `notice` with what the user has to know of the journal itself, as long as that is so, `regained` with the name of a
 * file that was set aside, after it was taken in again, and `readLate` when attempts of earlier runs may have come to
 * light after the journal was first read.
 */
export function createJournal(
  file: JournalFile,
  changed: (entry: JournalEntry) => void,
  report: (error: unknown) => void,
  notice: (text: string | null) => void = () => undefined,
  regained: (name: string) => void = () => undefined,
  readLate: () => void = () => undefined,
): Journal {
  const entries = new Map<string, StoredEntry>()
  /** What began in this run, and is not interrupted when the file is read again. */
  const begun = new Set<string>()
  /** Entries of which the file does not have the latest: they are written with the next one. */
  const unwritten = new Set<string>()
  let loaded: Promise<void> | null = null
  let wasRead = false
  let lastWrite: Promise<unknown> = Promise.resolve()
  let rewriteAgainAt = 0
  /** Whether the file has lines that could not be set aside: it is not written anew, and the next start tries again. */
  let mustStay = false
  /** When which failure was noted last, by a clock that nobody sets. */
  const notedAt = new Map<string, number>()

  /** One write after the other: the lines of an entry stay in their order. Rejects with `JournalError`. */
  const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
    const result = lastWrite.then(write).catch((error: unknown) => {
      throw error instanceof JournalError ? error : new JournalError(String(error), { cause: error })
    })
    lastWrite = result.catch(() => undefined)
    return result
  }

  const load = (): Promise<void> => {
    loaded ??= inTurn(read).catch((error: unknown) => {
      loaded = null
      throw error
    })
    return loaded.then(() => (file.locked ? inTurn(() => readUnlocked()) : undefined))
  }

  const read = async (): Promise<void> => {
    const stored = await file.read()
    const unsaved = [...unwritten].flatMap((id) => entries.get(id) ?? [])
    entries.clear()
    for (const entry of [...stored.entries, ...unsaved]) put(entries, entry)
    mustStay = stored.gap !== null && !(await closeGap(stored.gap))
    await takeIn()
    await endInterrupted()
    await notePassing()
    if (file.isExposed) await compact().catch(report)
    tell()
    if (file.locked) void readOnceUnlocked().catch(report)
    if (wasRead) readLate()
    wasRead = true
  }

  /** Reads what is locked once the keychain gives a key for which nobody waits any longer. */
  const readOnceUnlocked = async (): Promise<void> => {
    if (await file.keyCame()) await inTurn(() => (file.locked ? read() : Promise.resolve()))
  }

  /**
   * Takes in again what was set aside while its key was lost, before all that is there. What is there counts where both
   * have an entry. A journal that was set aside goes only once the file has all of it; where that fails, it stays so.
   */
  const takeIn = async (): Promise<void> => {
    if (mustStay) return
    const setAside = await file.readSetAside().catch((error: unknown) => {
      report(error)
      return []
    })
    for (const older of setAside) {
      await takeInOne(older).catch(async (error: unknown) => {
        report(error)
        if (!(error instanceof FullJournalError)) await readAgain().catch(report)
      })
    }
  }

  /** Finds out what the file has after it failed to be written anew: on a full disk there may still be room for lines. */
  const readAgain = async (): Promise<void> => {
    const stored = await file.read()
    replaceBy(joined(stored.entries, [...entries.values()]).values())
  }

  const takeInOne = async (older: RegainedJournal): Promise<void> => {
    const all = joined(older.entries, [...entries.values()])
    const isNew = all.size > entries.size
    if (isNew) {
      await file.rewrite([...all.values()], room.attempts)
      replaceBy(all.values())
    }
    if (older.isWhole) await file.removeSetAside(older)
    if (older.isWhole || isNew) regained(basename(older.path))
  }

  const replaceBy = (remaining: Iterable<StoredEntry>): void => {
    const all = [...remaining]
    entries.clear()
    for (const entry of all) entries.set(entry.id, entry)
  }

  /** Ends what a run before this one has left under way. */
  const endInterrupted = async (): Promise<void> => {
    for (const entry of [...entries.values()]) {
      if (begun.has(entry.id)) continue
      if (entry.kind === 'creation' && entry.state === 'sending') await storeOrReport(asInterrupted(entry))
      if (entry.kind === 'synchronisation' && entry.state === 'running')
        await storeOrReport(interruptedEntry(entry))
    }
  }

  const readUnlocked = async (anew = false): Promise<void> => {
    if (await file.canUnlock(anew)) await read()
  }

  /**
   * Keeps the file as it is for whoever can make something of it, and begins a new one with what could be read. False
   * where it could not be kept otherwise than by staying where it is.
   */
  const closeGap = async (reason: JournalGap['reason']): Promise<boolean> => {
    const setAside = await file.setAside(reason).catch((error: unknown) => {
      report(error)
      return null
    })
    const entry = gapEntry(reason, setAside, new Date())
    put(entries, entry)
    changed(shown(entry))
    const isKept = setAside !== null || file.size.lines === 0
    await (isKept ? file.rewrite([...entries.values()]) : file.append(entry)).catch((error: unknown) => {
      unwritten.add(entry.id)
      report(error)
    })
    return isKept
  }

  /** The gaps of which it still matters what they may have taken along. */
  const openGaps = (): StoredFailure[] =>
    [...entries.values()].filter((entry): entry is StoredFailure => entry.kind === 'failure' && isOpen(entry))

  const notePassing = async (): Promise<void> => {
    for (const entry of openGaps()) {
      const later = withTimePassed(entry, new Date())
      if (later === entry) continue
      await storeOrReport(later)
      tell()
    }
  }

  const tell = (): void => {
    const gap = openGaps().at(-1)
    if (file.newer) notice(newerNotice)
    else if (file.locked) notice(lockedNotice)
    else notice(gap ? gapNotice(gap) : null)
  }

  /** @param limit how large the file may be before; none for what must be written */
  const store = async (entry: StoredEntry, limit = Infinity): Promise<void> => {
    const small = bounded(entry)
    put(entries, small)
    if (file.size.bytes > limit) await compact().catch(report)
    if (file.size.bytes > limit) throw new FullJournalError(file.locked)
    try {
      for (const id of file.size.bytes > room.notes ? [] : unwritten) {
        const earlier = entries.get(id)
        if (earlier && id !== entry.id) await file.append(earlier)
        unwritten.delete(id)
      }
      await file.append(small)
    } catch (error) {
      if (!(error instanceof ChangedFileError)) throw error
      await restore(small)
    }
    unwritten.delete(entry.id)
    await compact().catch(report)
  }

  /** Writes the file anew where someone else has changed it: everything in it that this run knows is written again. */
  const restore = async (entry: StoredEntry): Promise<void> => {
    if (!file.locked && !mustStay) {
      await file.rewrite([...entries.values()])
      return
    }
    // Lines that cannot be read must stay.
    await file.read()
    await file.append(entry)
  }

  const compact = async (): Promise<void> => {
    if (file.locked || mustStay) return
    const tooLong = mayBeRewritten(file.size) && file.size.bytes >= rewriteAgainAt
    if (!tooLong && !file.isExposed) return
    const remaining = tooLong ? kept([...entries.values()]) : [...entries.values()]
    // Also where it fails: for its length alone it is not tried with every entry.
    rewriteAgainAt = file.size.bytes + rewriteAgainAfter
    await file.rewrite(remaining)
    rewriteAgainAt = file.size.bytes + rewriteAgainAfter
    replaceBy(remaining)
  }

  const storeOrReport = (entry: StoredEntry, limit?: number): Promise<void> =>
    store(entry, limit).catch((error: unknown) => {
      unwritten.add(entry.id)
      report(error)
    })

  /** Writes an entry, or leaves it as it was and rejects. */
  const storeOrUndo = (entry: StoredEntry, before: StoredEntry): Promise<void> =>
    store(entry).catch((error: unknown) => {
      put(entries, before)
      // The file may not have the latest of that either.
      unwritten.add(before.id)
      throw error
    })

  /** Writes an entry whose loss is worth a report, but not the failure of what it is about. */
  const note = async (entry: StoredEntry, limit: number = room.notes): Promise<void> => {
    await inTurn(() => storeOrReport(entry, limit))
    changed(shown(entry))
  }

  /**
   * Changes an entry as it is when its turn comes: what is noted of it at the same time is kept.
   *
   * @param edit gives the entry as it is to be; null where it stays as it is
   * @param write writes it; where that rejects, nothing is told of it
   */
  const change = async <Kind extends StoredEntry['kind']>(
    kind: Kind,
    id: string,
    edit: (entry: EntryOf<Kind>) => EntryOf<Kind> | null,
    write: (next: StoredEntry, before: StoredEntry) => Promise<void> = (next) =>
      storeOrReport(next, room.notes),
  ): Promise<void> => {
    const edited = await inTurn(async () => {
      const entry = entries.get(id)
      const next = entry && isOf(kind, entry) ? edit(entry) : null
      if (entry && next) await write(next, entry)
      return next
    })
    if (edited) changed(shown(edited))
  }

  const incompleteReason = async (): Promise<IncompleteReason | null> => {
    await load()
    await inTurn(notePassing)
    if (file.locked) return 'keychain'
    if (file.newer) return 'newer'
    return openGaps().length > 0 ? 'gap' : null
  }

  return {
    list: async (limit, name = null, filter = 'all') => {
      await load()
      const newestFirst = [...entries.values()].filter((entry) => passesFilter(entry, filter)).reverse()
      const inTheWay = newestFirst
        .slice(limit)
        .filter((entry) => entry.kind === 'creation' && entry.name === name && isUnconfirmed(entry))
      return [...newestFirst.slice(0, limit), ...inTheWay.slice(0, limit)].map(shown)
    },

    beginCreation: async (place, attempted) => {
      await load()
      const { name, source, fingerprint, serviceIdentity, headersIdentity, routeIdentity } = attempted
      const { before, startedAtService } = attempted
      const entry: StoredCreation = {
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
        lookup: null,
        lookFailure: null,
        before,
        startedAtService,
        heldBack: false,
        fingerprint,
        serviceIdentity,
        headersIdentity,
        routeIdentity,
      }
      begun.add(entry.id)
      await inTurn(() => store(entry, room.attempts)).catch((error: unknown) => {
        entries.delete(entry.id)
        throw error
      })
      changed(shown(entry))
      return entry.id
    },

    endCreation: (id, end) =>
      change(
        'creation',
        id,
        (entry) =>
          entry.state === 'sending'
            ? withoutNeedless({
                ...entry,
                endedAt: new Date().toISOString(),
                state: end.state,
                deploymentId: end.state === 'created' ? end.deploymentId : null,
                failure: end.state === 'created' ? null : end.failure,
                heldBack: end.state === 'refused' && end.heldBack === true,
              })
            : null,
        (next) => storeOrReport(next),
      ),

    incompleteReason,

    unlock: async () => {
      await load()
      await inTurn(async () => {
        await readUnlocked(true)
        await file.openSeal()
        await takeIn()
        await endInterrupted()
        await compact().catch(report)
      })
      readLate()
    },

    creations: async () => {
      await load()
      return [...entries.values()].filter((entry): entry is StoredCreation => entry.kind === 'creation')
    },

    moveCreation: (id, place) => change('creation', id, (entry) => ({ ...entry, ...place })),

    noteLookup: (id, look) => change('creation', id, (entry) => afterLook(entry, look)),

    claimCreation: (id, lookup) =>
      change(
        'creation',
        id,
        (entry) => afterLook(entry, { state: 'created', lookup, lookFailure: null }),
        storeOrUndo,
      ),

    beginSynchronisation: async (place, automatic) => {
      await load()
      const before = [...entries.values()].filter(
        (entry): entry is SynchronisationEntry =>
          entry.kind === 'synchronisation' && entry.environmentId === place.environmentId,
      )
      const entry = beginEntry(place, automatic, before.at(-1))
      begun.add(entry.id)
      await note(entry)
      return entry.id
    },

    endSynchronisation: (id, end) => change('synchronisation', id, (entry) => endEntry(entry, end)),

    noteFailure: async (place, action, startedAt, reason) => {
      await load()
      const now = performance.now()
      for (const [what, at] of notedAt) if (now - at >= sameFailureMs) notedAt.delete(what)
      const { code, message, serviceWords } = reason
      const what = JSON.stringify([place.environmentId, action, code, message, serviceWords])
      if (notedAt.has(what)) return
      notedAt.set(what, now)
      await note({
        id: randomUUID(),
        startedAt: startedAt.toISOString(),
        endedAt: new Date().toISOString(),
        ...place,
        kind: 'failure',
        action,
        failure: reason,
        gap: null,
      })
    },
  }
}

type EntryOf<Kind extends StoredEntry['kind']> = Extract<StoredEntry, { kind: Kind }>

const isOf = <Kind extends StoredEntry['kind']>(kind: Kind, entry: StoredEntry): entry is EntryOf<Kind> =>
  entry.kind === kind

/** An entry as others see it: without what only a comparison needs. */
function shown(entry: StoredEntry): JournalEntry {
  if (entry.kind === 'synchronisation') return entry
  if (entry.kind === 'failure') {
    const { gap: _gap, ...rest } = entry
    return rest
  }
  return shownCreation(entry)
}

/** A creation without what is compared where what became of it is known for good. */
function withoutNeedless(entry: StoredCreation): StoredCreation {
  const { fingerprint } = entry
  if (isUnconfirmed(entry) || isRefusedOutside(entry) || fingerprint === null) return entry
  return { ...entry, fingerprint: { ...withoutMembers(fingerprint), secretNames: null } }
}

/** An attempt as a look leaves it; null where it was known before to be created. */
function afterLook(entry: StoredCreation, { state, lookup, lookFailure }: LookupNote): StoredCreation | null {
  if (entry.state === 'created') return null
  const seen = lookup ?? entry.lookup
  return withoutNeedless({
    ...entry,
    state: state ?? entry.state,
    deploymentId: state === 'created' ? (seen?.deployment?.id ?? null) : entry.deploymentId,
    lookup: seen,
    lookFailure,
  })
}

function asInterrupted(entry: StoredCreation): StoredCreation {
  return { ...entry, state: 'unclear', endedAt: new Date().toISOString(), failure: interrupted }
}
