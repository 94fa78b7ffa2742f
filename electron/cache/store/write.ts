import type { Span, WrittenItem, WrittenPage } from '@contract/cache'
import type Database from 'libsql'
import { type Content, type PageContent, summaryColumns } from './content'
import { isNewer } from './newer'
import type { Notes } from './notes'
import type { Transactions } from './transaction'

/** What is known of a deployment that is stored already. */
interface Copy {
  seq: number
  id: string
  hash: string
  sent_at: number
  received_at: number
  run: number | null
}

/** Begins the checksum of a deployment that is marked as gone, so that it counts as changed when it comes back. */
const gonePrefix = 'gone:'

/** How long content with an older `updated_at` than ours is taken for a stale answer before it is believed. */
const staleAnswerMs = 60_000

/** Writes what the service answered. Every function writes all or nothing. */
export interface Writer {
  writePage: (page: PageContent, span: Span, run: number | null) => WrittenPage
  /** Takes note of a page that was written before; null, and nothing is done, when the copy differs from it now. */
  seePage: (page: WrittenPage, span: Span, run: number | null) => WrittenPage | null
  markGone: (ids: string[], span: Span) => number
  /** Removes what was marked as gone before a moment; gives how many. */
  cleanUp: (before: number) => number
  /** Brings the search index up to the newest row. */
  index: () => void
  /** Removes deployments whose rows were found damaged. */
  drop: (rows: number[]) => void
}

export function createWriter(db: Database.Database, transactions: Transactions, notes: Notes): Writer {
  const columns = summaryColumns.join(', ')
  const find = db.prepare(
    `select seq, id, hash, sent_at, received_at, run from copy
     where id in (select value from json_each(?))`,
  )
  const insertCopy = db.prepare(
    'insert into copy (id, hash, sent_at, received_at, run) values (?, ?, ?, ?, ?)',
  )
  const insertDeployment = db.prepare(
    `insert into deployment (seq, id, ${columns}) values (?, ?, ${summaryColumns.map(() => '?').join(', ')})`,
  )
  const insertDetail = db.prepare('insert into detail (seq, json) values (?, ?)')
  const updateCopy = db.prepare(
    'update copy set hash = ?, sent_at = ?, received_at = ?, run = coalesce(?, run) where seq = ?',
  )
  const updateDeployment = db.prepare(
    `update deployment set ${summaryColumns.map((name) => `${name} = ?`).join(', ')}, gone_at = null
     where seq = ?`,
  )
  const updateDetail = db.prepare('update detail set json = ? where seq = ?')
  const touch = db.prepare(
    `update copy set sent_at = max(sent_at, ?), received_at = max(received_at, ?), run = coalesce(?, run)
     where seq in (select value from json_each(?))`,
  )
  const storedColumns = db.prepare('select updated_at, search from deployment where seq = ?')
  const unindex = db.prepare("insert into finder (finder, rowid, search) values ('delete', ?, ?)")
  const reindex = db.prepare('insert into finder (rowid, search) values (?, ?)')
  const indexRange = db.prepare(
    'insert into finder (rowid, search) select seq, search from deployment where seq > ? and seq <= ?',
  )
  const highest = db.prepare('select coalesce(max(seq), 0) as seq from copy')
  const setGone = db.prepare(
    `update deployment set gone_at = ? where gone_at is null and seq in (
       select seq from copy where sent_at <= ? and id in (select value from json_each(?)))`,
  )
  const setGoneHash = db.prepare(
    `update copy set hash = '${gonePrefix}' || hash
     where seq in (select seq from deployment where gone_at = ? and id in (select value from json_each(?)))
       and hash not like '${gonePrefix}%'`,
  )
  const goneBefore = db.prepare('select seq from deployment where gone_at is not null and gone_at < ?')
  const searchOf = db.prepare('select search from deployment where seq = ?')
  const removals = ['copy', 'deployment', 'detail'].map((table) =>
    db.prepare(`delete from ${table} where seq = ?`),
  )

  // Content whose updated_at went back, by deployment: a stale answer of a proxy shows it for a moment, a service that
  // was restored from a backup keeps showing it.
  const doubted = new Map<string, { hash: string; since: number }>()

  const indexedUpTo = (): number => Number(notes.read('finder-up-to') ?? 0)

  function insert(content: Content, span: Span, run: number | null): void {
    const { lastInsertRowid } = insertCopy.run(content.id, content.hash, span.sentAt, span.receivedAt, run)
    const seq = Number(lastInsertRowid)
    insertDeployment.run(seq, content.id, ...content.summary)
    insertDetail.run(seq, content.json)
  }

  function change(content: Content, span: Span, run: number | null, copy: Copy): 'changed' | 'older' {
    const stored = storedColumns.get(copy.seq) as { updated_at: string | null; search: string }
    const dated = { sentAt: copy.sent_at, receivedAt: copy.received_at, updated_at: stored.updated_at }
    const gone = copy.hash.startsWith(gonePrefix)
    if (!gone && !isNewer({ ...span, updated_at: content.updated_at }, dated)) {
      const doubt = doubted.get(content.id)
      if (doubt?.hash !== content.hash || span.sentAt - doubt.since < staleAnswerMs) {
        if (doubt?.hash !== content.hash) {
          doubted.set(content.id, { hash: content.hash, since: span.sentAt })
        }
        touch.run(0, 0, run, JSON.stringify([copy.seq]))
        return 'older'
      }
    }
    doubted.delete(content.id)
    updateCopy.run(content.hash, span.sentAt, span.receivedAt, run, copy.seq)
    updateDeployment.run(...content.summary, copy.seq)
    updateDetail.run(content.json, copy.seq)
    if (content.search !== stored.search && copy.seq <= indexedUpTo()) {
      unindex.run(copy.seq, stored.search)
      reindex.run(copy.seq, content.search)
    }
    return 'changed'
  }

  function write(contents: Content[], span: Span, run: number | null): WrittenItem[] {
    const known = new Map<string, Copy>()
    for (const copy of find.all(JSON.stringify(contents.map(({ id }) => id))) as Copy[]) {
      known.set(copy.id, copy)
    }
    const unchanged: number[] = []
    const items = contents.map((content): WrittenItem => {
      const copy = known.get(content.id)
      let was: WrittenItem['was'] = 'new'
      if (!copy) {
        insert(content, span, run)
      } else if (copy.hash === content.hash) {
        was = 'same'
        unchanged.push(copy.seq)
      } else {
        was = change(content, span, run, copy)
      }
      const { id, hash, name, created_at, updated_at } = content
      return { id, version: hash, name, created_at, updated_at, was }
    })
    if (unchanged.length > 0) touch.run(span.sentAt, span.receivedAt, run, JSON.stringify(unchanged))
    return items
  }

  function remove(seq: number): void {
    const row = searchOf.get(seq) as { search: string } | undefined
    if (row && seq <= indexedUpTo()) unindex.run(seq, row.search)
    for (const statement of removals) statement.run(seq)
  }

  return {
    writePage: transactions.gathered((page: PageContent, span: Span, run: number | null): WrittenPage => {
      const items = write(page.contents, span, run)
      if (items.length > 0) notes.newestAt(span.receivedAt)
      const { received, unreadable, returnedOffset } = page
      return { items, received, unreadable, returnedOffset }
    }),

    seePage: transactions.gathered(
      (page: WrittenPage, span: Span, run: number | null): WrittenPage | null => {
        const copies = find.all(JSON.stringify(page.items.map(({ id }) => id))) as Copy[]
        const hashes = new Map(copies.map(({ id, hash }) => [id, hash]))
        if (page.items.some(({ id, version }) => hashes.get(id) !== version)) return null
        touch.run(span.sentAt, span.receivedAt, run, JSON.stringify(copies.map(({ seq }) => seq)))
        if (copies.length > 0) notes.newestAt(span.receivedAt)
        return { ...page, items: page.items.map((item) => ({ ...item, was: 'same' })) }
      },
    ),

    markGone: transactions.whole((ids: string[], span: Span): number => {
      const list = JSON.stringify(ids)
      const { changes } = setGone.run(span.receivedAt, span.sentAt, list)
      setGoneHash.run(span.receivedAt, list)
      return changes
    }),

    cleanUp: transactions.whole((before: number): number => {
      const rows = goneBefore.all(before) as { seq: number }[]
      for (const { seq } of rows) remove(seq)
      return rows.length
    }),

    index: transactions.whole((): void => {
      const from = indexedUpTo()
      const { seq } = highest.get() as { seq: number }
      if (seq <= from) return
      indexRange.run(from, seq)
      notes.write('finder-up-to', String(seq))
    }),

    // The index must be built anew: it can only take a text out that is known, and these are damaged.
    drop: transactions.whole((rows: number[]): void => {
      for (const seq of rows) for (const statement of removals) statement.run(seq)
      db.exec("insert into finder (finder) values ('rebuild')")
      notes.write('finder-up-to', String((highest.get() as { seq: number }).seq))
    }),
  }
}
