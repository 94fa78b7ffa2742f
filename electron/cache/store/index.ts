import {
  type CachedPageRequest,
  type CachedSummary,
  cacheNotes,
  type CacheState,
  type CellDeployment,
  maxForAttention,
  type HistoryState,
  type StatusCounts,
  type StatusHistoryRequest,
  type UnsettledDeployment,
} from '@contract/cache'
import type { Unseen } from '../protocol'
import { maxStatuses } from '@contract/deployment-api/list'
import { sinceWhen } from '@domain/attention'
import { randomBytes } from 'node:crypto'
import type Database from 'libsql'
import { isDiskFull, setCheckpoints } from './file'
import { createWriter } from './write'
import {
  createNotes,
  createTransactions,
  dropSortIndexes,
  ensureSortIndexes,
  fromKey,
  isoMoment,
  prepareRows,
  toKey,
} from './database'
import { createHistory } from './history'
import { createHistoryReader, identityNote } from './history/read'
import { createQuerier, prepareStatuses, rollingOut } from './query'
import { createAgentQuerier } from './query/agents'
import { createRepositoryLists } from './repository-lists'
export type { StoredRepositories } from './repository-lists'
export { UnreadableAnswer } from './content'

/** A deployment as the service answered it, secret values emptied. Times are ISO 8601. */
export interface StoredDeployment {
  json: string
  fetchedAt: string
  goneAt: string | null
}

export type Store = ReturnType<typeof createStore>

/** Ignores a full disk: the cache can still be read. */
function whereThereIsRoom(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/**
 * Creates the store of one environment's cache on an open database, which it closes at the end. Its functions throw
 * SQLite's errors. Times are milliseconds since 1970.
 */
export function createStore({ db }: { db: Database.Database }) {
  const notes = createNotes(db)
  const history = createHistory(db, notes)
  const transactions = createTransactions(db, () => {
    writer.countAnew()
    // They may have rows that no longer exist, whose numbers others get.
    querier.forget()
  })
  const writer = createWriter(db, transactions, notes, history)
  const repositoryLists = createRepositoryLists(db, transactions)
  const countStatuses = prepareStatuses(db)
  const querier = createQuerier(db, notes.indexedUpTo, countStatuses)
  const agents = createAgentQuerier(db, notes.indexedUpTo)
  const past = createHistoryReader(db, notes, history)
  const tidyHistory = transactions.whole(history.tidy)
  whereThereIsRoom(() => {
    if (notes.read(identityNote) === null) notes.write(identityNote, randomBytes(16).toString('hex'))
    tidyHistory()
  })

  const countGone = db.prepare('select count(*) as count from deployment where gone_at is not null')
  const countRollingOut = db.prepare(`select count(*) as count from deployment where ${rollingOut}`)
  const selectTypes = prepareRows(
    db,
    'deployment_type',
    `from (select distinct deployment_type from deployment indexed by deployment_statuses
           where gone_at is null and deployment_type is not null limit ${maxStatuses})`,
  )
  const selectDeployment = prepareRows(
    db,
    'c.received_at, d.gone_at, t.json',
    `from copy as c join deployment as d on d.seq = c.seq join detail as t on t.seq = c.seq where c.id = ?`,
  )
  const selectUnseen = prepareRows(
    db,
    'c.seq, c.id',
    `from copy as c join deployment as d on d.seq = c.seq
     where c.seq > ? and (c.run is null or c.run <> ?) and d.gone_at is null order by c.seq limit ?`,
  )
  const moment = (key: string): string | null => {
    const value = notes.read(key)
    return value === null ? null : isoMoment(Number(value))
  }

  const state = (): CacheState => ({
    deployments: writer.count(),
    gone: (countGone.get() as { count: number }).count,
    synchronisedAt: moment(cacheNotes.synchronisedAt),
    newestAt: moment(cacheNotes.newestAt),
  })

  function deployment(id: string): StoredDeployment | null {
    const [row] = selectDeployment<[receivedAt: number, goneAt: number | null, json: string]>(toKey(id))
    const fetchedAt = isoMoment(row?.[0])
    return row && fetchedAt !== null ? { json: row[2], fetchedAt, goneAt: isoMoment(row[1]) } : null
  }

  return {
    writePage: writer.writePage,
    seePage: writer.seePage,
    writeDeployment: writer.writeDeployment,

    /** A page as JSON text of the contract's `CachedPage`. */
    page(request: CachedPageRequest): string {
      const { rows, snapshot, total } = querier.page(request)
      const envelope = JSON.stringify({ snapshot, total, offset: request.offset, cache: state() })
      return `${envelope.slice(0, -1)},"deployments":${rows}}`
    },

    deployment,

    writeRepositories: repositoryLists.write,

    repositories: repositoryLists.read,

    /** The content of the Overview, as JSON text of the reply. */
    overview(): string {
      const { statuses, rows, total } = querier.overview(maxForAttention)
      const summaries = JSON.parse(rows) as CachedSummary[]
      const last = past.lastChanges(summaries.map(({ id }) => id))
      const deployments = summaries.map((row): UnsettledDeployment => {
        const {
          id,
          name,
          status,
          latest_revision_id,
          active_revision_id,
          created_at,
          updated_at,
          fetched_at,
        } = row
        const revisions = { latest_revision_id, active_revision_id }
        const last_changes = last.get(id) ?? { status: null, revision: null }
        return { id, name, status, ...revisions, created_at, updated_at, fetched_at, last_changes }
      })
      return JSON.stringify({
        ...statuses,
        unsettled: { total, deployments },
        interval: notes.read(cacheNotes.interval),
      })
    },

    state,

    statuses: (): StatusCounts => ({
      ...countStatuses(),
      rollingOut: (countRollingOut.get() as { count: number }).count,
      types: selectTypes<[type: string]>().map(([type]) => type),
      cache: state(),
    }),

    history: past.deployment,

    changes: past.changes,

    statusHistory: (request: StatusHistoryRequest) => past.statuses(request, countStatuses()),

    /** A deployment as it was after a point of its history; null if that isn't kept. */
    earlier(id: string, point: number): StoredDeployment | null {
      const before = past.earlier(id, point)
      if (before === undefined) return deployment(id)
      const fetchedAt = before && isoMoment(before.seenAt)
      return fetchedAt === null ? null : { json: before?.json ?? '', fetchedAt, goneAt: null }
    },

    historyState(): HistoryState {
      const { bytes, rows } = history.size()
      const since = history.since(Date.now())
      return { days: history.days(), bytes, entries: rows, since: isoMoment(since) }
    },

    /** Sets for how many days the history is kept, counted from the last synchronisation. */
    keepHistory: transactions.whole((days: HistoryState['days']): void => {
      notes.write(cacheNotes.historyDays, String(days))
      history.tidy()
    }),

    agents: agents.agents,

    assignedAgents: agents.assigned,

    agentCells(places: readonly number[]): CellDeployment[] {
      const deployments = agents.cells(places)
      const changes = past.lastShown(deployments.map(({ id }) => id))
      return deployments.map((one) => ({ ...one, since: sinceWhen(one, changes.get(one.id) ?? null) }))
    },

    bulk(on: boolean): void {
      if (on) setCheckpoints(db, 'bulk')
      try {
        transactions.gather(on)
      } finally {
        // Also if the last writes fail: nothing else creates the indexes.
        if (!on) ensureSortIndexes(db)
      }
      if (on) {
        if (writer.count() === 0) dropSortIndexes(db)
        return
      }
      writer.index()
      tidyHistory()
    },

    unseen(run: number, after: number, limit: number): Unseen {
      const rows = selectUnseen<[seq: number, key: string]>(after, run, limit)
      const last = rows.at(-1)
      return {
        ids: rows.map(([, key]) => fromKey(key)),
        after: last && rows.length === limit ? last[0] : null,
      }
    },

    markGone: writer.markGone,

    /** Notes that a synchronisation has read the whole list. */
    synchronised: transactions.whole(history.synchronised),

    cleanUp(before: number): number {
      const removed = writer.cleanUp(before)
      if (removed > 0) querier.forget()
      return removed
    },

    readNote: notes.read,
    // A synchronisation's note reaches the disk together with everything that was written before it.
    writeNote: transactions.whole(notes.write),

    /**
     * Does what nobody should wait for: moves what a synchronisation wrote from the log into the file, and frees the
     * memory of pages that were read from it. Throws nothing; a file that can't be written shows with the next write.
     */
    rest(): void {
      try {
        setCheckpoints(db, 'default')
        db.pragma('wal_checkpoint(truncate)')
      } catch {
        // Everything stays in the log.
      }
      db.exec('pragma shrink_memory')
    },

    close(): void {
      try {
        whereThereIsRoom(() => {
          transactions.gather(false)
          // Statements keep the connection open for a while, so closing alone would leave the log.
          db.pragma('wal_checkpoint(truncate)')
        })
      } finally {
        db.close()
      }
    },
  }
}
