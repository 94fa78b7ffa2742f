import type {
  CachedDeployment,
  CachedPageRequest,
  CachedRepositories,
  CopyState,
  Opened,
  Span,
  Unseen,
  WrittenPage,
} from '@contract/cache'
import { readRepositories, withoutSecretValues } from '@contract'
import type Database from 'libsql'
import { checksum, type Content, readDeploymentText, readPageText } from './content'
import { checkpointPages, isDiskFull } from './file'
import { createKnownPages } from './known-pages'
import { createNotes } from './notes'
import { createQuerier } from './query'
import { dropSortIndexes, ensureSortIndexes } from './schema'
import { createTransactions } from './transaction'
import { createWriter } from './write'

/** The answer of a service is not what the interface describes; nothing was written. */
export class UnreadableAnswer extends Error {}

/** The copy of one environment. Its functions throw SQLite's errors; times are milliseconds since 1970. */
export interface Store {
  opened: Pick<Opened, 'uncleanlyClosed'>
  writePage: (body: Uint8Array, span: Span, run: number | null) => WrittenPage
  writeDeployment: (text: string, span: Span) => void
  writeRepositories: (integrationId: string, text: string, span: Span) => void
  /** A page as JSON text of the contract's `CachedPage`. */
  page: (request: CachedPageRequest) => string
  /** Null when it is not cached, or when its row turns out to be damaged, which removes it. */
  deployment: (id: string) => CachedDeployment
  repositories: (integrationId: string) => CachedRepositories
  state: () => CopyState
  bulk: (on: boolean) => void
  unseen: (run: number, after: number, limit: number) => Unseen
  markGone: (ids: string[], span: Span) => number
  cleanUp: (before: number) => number
  readNote: (key: string) => string | null
  writeNote: (key: string, value: string | null) => void
  /** Compares rows from `after` on with their checksums, `limit` at most; drops damaged ones. Null at the end. */
  checkRows: (after: number, limit: number) => { damaged: number; after: number | null }
  /** Throws when the structure of the file is damaged. */
  checkStructure: () => void
  /** Gives back the memory of pages of the file that were read; the next request reads them again. */
  rest: () => void
  close: () => void
}

/** Does what is not indispensable: a copy on a full disk can still be read. */
function whereThereIsRoom(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** Structural damage that SQLite's own check found. */
export class DamagedStructure extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/** Makes the store on an open database, which it closes at the end. */
export function createStore(db: Database.Database): Store {
  const notes = createNotes(db)
  const transactions = createTransactions(db)
  const writer = createWriter(db, transactions, notes)
  const querier = createQuerier(db, () => Number(notes.read('finder-up-to') ?? 0))
  const uncleanlyClosed = notes.read('open') !== null
  whereThereIsRoom(() => notes.write('open', 'yes'))

  const selectDeployment = db.prepare(
    `select c.seq, d.id, t.json, c.hash, c.received_at, d.gone_at from copy as c
     join deployment as d on d.seq = c.seq join detail as t on t.seq = c.seq where c.id = ?`,
  )
  const selectRepositories = db.prepare('select json, received_at from repositories where integration_id = ?')
  const upsertRepositories = db.prepare(
    `insert into repositories (integration_id, json, sent_at, received_at) values (?, ?, ?, ?)
     on conflict (integration_id) do update
     set json = excluded.json, sent_at = excluded.sent_at, received_at = excluded.received_at
     where excluded.sent_at >= sent_at`,
  )
  const writeRepositories = transactions.whole((...row: [string, string, number, number]): void => {
    upsertRepositories.run(...row)
  })
  const countAll = db.prepare('select count(*) as count from copy')
  const countGone = db.prepare('select count(*) as count from deployment where gone_at is not null')
  const selectUnseen = db.prepare(
    `select c.seq, c.id from copy as c join deployment as d on d.seq = c.seq
     where c.seq > ? and (c.run is null or c.run <> ?) and d.gone_at is null order by c.seq limit ?`,
  )
  const selectRows = db.prepare(
    `select c.seq, c.id, c.hash, d.id as summary_id, d.search, t.json from copy as c
     left join deployment as d on d.seq = c.seq left join detail as t on t.seq = c.seq
     where c.seq > ? order by c.seq limit ?`,
  )

  const moment = (key: string): string | null => {
    const value = notes.read(key)
    return value === null ? null : new Date(Number(value)).toISOString()
  }

  // Counting goes through a whole index, which is too much for every page.
  let counted: number | null = null
  const countDeployments = (): number => {
    counted ??= (countAll.get() as { count: number }).count
    return counted
  }

  const pages = createKnownPages(countDeployments)

  const state = (): CopyState => ({
    deployments: countDeployments(),
    gone: (countGone.get() as { count: number }).count,
    synchronisedAt: moment('synchronised-at'),
    newestAt: moment('newest-at'),
  })

  const drop = (rows: number[]): void => {
    writer.drop(rows)
    counted = null
    querier.forget()
  }

  const contentHash = (hash: string): string => hash.replace(/^gone:/, '')

  return {
    opened: { uncleanlyClosed },

    writePage(body, span, run) {
      const digest = checksum(body)
      const before = pages.find(digest)
      const seen = before && writer.seePage(before, span, run)
      if (seen) return seen
      const page = readPageText(new TextDecoder().decode(body))
      if (!page) throw new UnreadableAnswer('the answer is not a page of deployments')
      const written = writer.writePage(page, span, run)
      if (counted !== null) counted += written.items.filter(({ was }) => was === 'new').length
      pages.remember(digest, written)
      return written
    },

    writeDeployment(text, span) {
      const content: Content | null = readDeploymentText(text)
      if (!content) throw new UnreadableAnswer('the answer is not a deployment')
      writer.writePage({ contents: [content], received: 1, unreadable: 0, returnedOffset: 0 }, span, null)
      counted = null
    },

    writeRepositories(integrationId, text, span) {
      let answer: unknown
      try {
        answer = withoutSecretValues(JSON.parse(text) as unknown)
      } catch {
        answer = undefined
      }
      if (!readRepositories(answer).ok) {
        throw new UnreadableAnswer('the answer is not a list of repositories')
      }
      writeRepositories(integrationId, JSON.stringify(answer), span.sentAt, span.receivedAt)
    },

    page(request) {
      const { rows, ...rest } = querier.page(request)
      const envelope = JSON.stringify({ ...rest, offset: request.offset, copy: state() })
      return `${envelope.slice(0, -1)},"deployments":${rows}}`
    },

    deployment(id) {
      const row = selectDeployment.get(id) as
        { seq: number; json: string; hash: string; received_at: number; gone_at: number | null } | undefined
      if (!row) return null
      if (checksum(row.json) !== contentHash(row.hash)) {
        drop([row.seq])
        return null
      }
      return {
        json: row.json,
        fetchedAt: new Date(row.received_at).toISOString(),
        goneAt: row.gone_at === null ? null : new Date(row.gone_at).toISOString(),
      }
    },

    repositories(integrationId) {
      const row = selectRepositories.get(integrationId) as { json: string; received_at: number } | undefined
      return row ? { json: row.json, fetchedAt: new Date(row.received_at).toISOString() } : null
    },

    state,

    bulk(on) {
      transactions.gather(on)
      db.pragma(`wal_autocheckpoint = ${on ? checkpointPages.bulk : checkpointPages.usual}`)
      if (on) {
        if (countDeployments() === 0) dropSortIndexes(db)
        return
      }
      ensureSortIndexes(db)
      writer.index()
      db.pragma('wal_checkpoint(truncate)')
    },

    unseen(run, after, limit) {
      const rows = selectUnseen.all(after, run, limit) as { seq: number; id: string }[]
      const last = rows.at(-1)
      return { ids: rows.map(({ id }) => id), after: last && rows.length === limit ? last.seq : null }
    },

    markGone: (ids, span) => writer.markGone(ids, span),

    cleanUp(before) {
      const removed = writer.cleanUp(before)
      if (removed > 0) {
        counted = null
        querier.forget()
      }
      return removed
    },

    readNote: notes.read,
    // What a synchronisation notes is on the disk together with all that it was noted after.
    writeNote: transactions.whole(notes.write),

    checkRows(after, limit) {
      const rows = selectRows.all(after, limit) as {
        seq: number
        id: string
        hash: string
        summary_id: string | null
        search: string | null
        json: string | null
      }[]
      const damaged = rows.filter((row) => {
        if (row.json === null || checksum(row.json) !== contentHash(row.hash)) return true
        const content = readDeploymentText(row.json)
        return content?.id !== row.id || row.summary_id !== row.id || content.search !== row.search
      })
      if (damaged.length > 0) {
        drop(damaged.map(({ seq }) => seq))
      }
      const last = rows.at(-1)
      return { damaged: damaged.length, after: last && rows.length === limit ? last.seq : null }
    },

    checkStructure() {
      const found = db.pragma('quick_check(1)') as { quick_check: string }[]
      if (found[0]?.quick_check !== 'ok') throw new DamagedStructure(found[0]?.quick_check ?? 'no answer')
    },

    rest: () => db.exec('pragma shrink_memory'),

    close() {
      try {
        whereThereIsRoom(() => {
          transactions.gather(false)
          notes.write('open', null)
          // Statements keep the connection open for a while, so that closing alone leaves the log behind.
          db.pragma('wal_checkpoint(truncate)')
        })
      } finally {
        db.close()
      }
    },
  }
}
