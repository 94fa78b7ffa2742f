import { createHash } from 'node:crypto'
import type { Observer, Span, WrittenItem, WrittenPage } from '@contract/cache'
import { clockWasSetMs } from '@domain/history/timeline'
import type Database from 'libsql'
import { type Content, type PageContent, summaryColumns } from './content'
import type { History } from './history'
import { Damaged, gonePrefix, type Notes, prepareRows, toKey } from './database/rows'
import type { Transactions } from './database/transaction'
import { readTime } from '@contract/core/time'

/** The known data of a stored deployment. */
interface StoredRow {
  seq: number
  key: string
  hash: string
  sent_at: number
  received_at: number
}

/** The known data of a deployment that an answer changes. */
type StoredColumns = [updatedAt: string | null, search: string, goneAt: number | null, json: string]

/** A deployment that may be marked as gone. */
type ToMark = [
  seq: number,
  key: string,
  hash: string,
  sentAt: number,
  receivedAt: number,
  name: string,
  json: string,
]

/** How long content with an older `updated_at` than the stored one counts as a stale answer. */
const staleAnswerMs = 60_000

/** An answer: between which moments the service gave it, its synchronisation, and what requested it. */
export interface Answered {
  span: Span
  run: number | null
  by: Observer
}

/**
 * Writes answers of the service, and the changes in them into the history. Every function writes everything or nothing.
 */
export interface Writer {
  writePage: (page: PageContent, answered: Answered) => WrittenPage
  /** Notes that a known page came again. Null, without an effect, if the cache now differs from it. */
  seePage: (page: WrittenPage, answered: Answered) => WrittenPage | null
  markGone: (ids: string[], span: Span) => number
  /** Removes deployments that were marked as gone before a time. Gives how many. */
  cleanUp: (before: number) => number
  /** Extends the search index to the newest row. */
  index: () => void
}

export function createWriter(
  db: Database.Database,
  transactions: Transactions,
  notes: Notes,
  history: History,
): Writer {
  const columns = summaryColumns.join(', ')
  const selectCopies = prepareRows(
    db,
    'seq, id, hash, sent_at, received_at',
    'from copy where id in (select value from json_each(?))',
  )
  const insertCopy = db.prepare(
    'insert into copy (id, hash, sent_at, received_at, run) values (?, ?, ?, ?, ?)',
  )
  const insertDeployment = db.prepare(
    `insert into deployment (seq, ${columns}, agent, version)
     values (?, ${summaryColumns.map(() => '?').join(', ')}, ?, ?)`,
  )
  const insertDetail = db.prepare('insert into detail (seq, shown, json) values (?, ?, ?)')
  const updateCopy = db.prepare(
    'update copy set hash = ?, sent_at = ?, received_at = ?, run = coalesce(?, run) where seq = ?',
  )
  const updateDeployment = db.prepare(
    `update deployment set ${summaryColumns.map((name) => `${name} = ?`).join(', ')}, agent = ?, version = ?,
     gone_at = null where seq = ?`,
  )
  const updateDetail = db.prepare('update detail set shown = ?, json = ? where seq = ?')
  // Before the clock was set back, rows may have got times that are now in the future.
  const touch = db.prepare(
    `update copy set sent_at = iif(received_at > @receivedAt + ${clockWasSetMs}, @sentAt, max(sent_at, @sentAt)),
     received_at = iif(received_at > @receivedAt + ${clockWasSetMs}, @receivedAt, max(received_at, @receivedAt)),
     run = coalesce(@run, run)
     where seq in (select value from json_each(@rows))`,
  )
  const setRun = db.prepare('update copy set run = coalesce(?, run) where seq = ?')
  const storedColumns = prepareRows(
    db,
    'd.updated_at, d.search, d.gone_at, t.json',
    `from deployment as d join copy as c on c.seq = d.seq join detail as t on t.seq = d.seq where d.seq = ?`,
  )
  const unindex = db.prepare("insert into finder (finder, rowid, search) values ('delete', ?, ?)")
  const reindex = db.prepare('insert into finder (rowid, search) values (?, ?)')
  const indexRange = db.prepare(
    'insert into finder (rowid, search) select seq, search from deployment where seq > ? and seq <= ?',
  )
  const highest = db.prepare('select coalesce(max(seq), 0) as seq from copy')
  const selectToMark = prepareRows(
    db,
    'c.seq, c.id, c.hash, c.sent_at, c.received_at, d.name, t.json',
    `from copy as c join deployment as d on d.seq = c.seq join detail as t on t.seq = c.seq
     where d.gone_at is null and c.id in (select value from json_each(?))`,
  )
  const setGone = db.prepare('update deployment set gone_at = ? where seq = ?')
  // A request from before its deletion was noticed can't bring it back.
  const setHash = db.prepare('update copy set hash = ?, sent_at = max(sent_at, ?) where seq = ?')
  const goneBefore = db.prepare('select seq from deployment where gone_at is not null and gone_at < ?')
  const searchOf = prepareRows(db, 'search', 'from deployment where seq = ?')
  const removals = ['copy', 'deployment', 'detail', 'look'].map((table) =>
    db.prepare(`delete from ${table} where seq = ?`),
  )

  // Content whose updated_at went back, by deployment. A proxy's stale answer shows it briefly. A service that was
  // restored from a backup keeps showing it.
  const doubted = new Map<string, { hash: string; since: number }>()

  const highestRow = (): number => (highest.get() as { seq: number }).seq

  function insert(content: Content, span: Span, run: number | null): number {
    const { key, hash, shown, json } = content
    const { lastInsertRowid } = insertCopy.run(key, hash, span.sentAt, span.receivedAt, run)
    const seq = Number(lastInsertRowid)
    insertDeployment.run(seq, ...content.summary, content.agent, content.version)
    insertDetail.run(seq, shown, json)
    return seq
  }

  /** Marks a row as gone. Its checksum changes, so that it counts as changed when it comes back. */
  function setAsGone(seq: number, hash: string, { sentAt, receivedAt }: Span): void {
    setGone.run(receivedAt, seq)
    setHash.run(`${gonePrefix}${hash}`, sentAt, seq)
  }

  function change(content: Content, { span, run, by }: Answered, row: StoredRow): 'changed' | 'older' {
    const [stored] = storedColumns<StoredColumns>(row.seq)
    if (!stored) throw new Damaged('a row has no summary')
    const [updated_at, search] = stored
    const dated = { sentAt: row.sent_at, receivedAt: row.received_at, updated_at }
    const gone = row.hash.startsWith(gonePrefix)
    const older = (): 'older' => {
      setRun.run(run, row.seq)
      return 'older'
    }
    if (gone && !isLater(span, dated)) return older()
    if (!gone && !isNewer({ ...span, updated_at: content.updated_at }, dated)) {
      const doubt = doubted.get(content.id)
      if (doubt?.hash !== content.hash || span.sentAt - doubt.since < staleAnswerMs) {
        if (doubt?.hash !== content.hash) {
          doubted.set(content.id, { hash: content.hash, since: span.sentAt })
        }
        return older()
      }
    }
    doubted.delete(content.id)
    noteChange(content, { span, run, by }, row, stored)
    updateCopy.run(content.hash, span.sentAt, span.receivedAt, run, row.seq)
    updateDeployment.run(...content.summary, content.agent, content.version, row.seq)
    updateDetail.run(content.shown, content.json, row.seq)
    if (content.search !== search && row.seq <= notes.indexedUpTo()) {
      unindex.run(row.seq, search)
      reindex.run(row.seq, content.search)
    }
    return 'changed'
  }

  /** If a service shows the stored content again, older content isn't lasting: one of its two replicas is late. */
  function endDoubt(id: string, span: Span): void {
    if (doubted.size === 0) return
    const doubt = doubted.get(id)
    if (doubt && span.sentAt >= doubt.since) doubted.delete(id)
  }

  /** Notes an answer's changes in the history. */
  function noteChange(
    content: Content,
    { span, by }: Answered,
    row: StoredRow,
    [, , goneAt, jsonBefore]: StoredColumns,
  ): void {
    const { key, name, json } = content
    if (!history.hasBegun()) return
    const wasGone = row.hash.startsWith(gonePrefix)
    const seenAt = Math.max(row.received_at, goneAt ?? 0)
    const before = { json: jsonBefore, seenAt, wasGone }
    history.changed({ before, now: { key, name, json }, at: span.receivedAt, by })
  }

  /** The known data of stored deployments, by key. */
  function find(keys: string[]): StoredRow[] {
    const rows = selectCopies<[number, string, string, number, number]>(JSON.stringify(keys))
    return rows.map(([seq, key, hash, sent_at, received_at]) => ({ seq, key, hash, sent_at, received_at }))
  }

  function write(contents: Content[], answered: Answered): WrittenItem[] {
    const { span, run, by } = answered
    // Before it has begun, each call reads a note.
    const begun = history.hasBegun()
    const known = new Map<string, StoredRow>()
    for (const row of find(contents.map(({ key }) => key))) known.set(row.key, row)
    const unchanged: number[] = []
    const seen: number[] = []
    const items = contents.map((content): WrittenItem => {
      const row = known.get(content.key)
      let was: WrittenItem['was'] = 'new'
      if (!row) {
        seen.push(insert(content, span, run))
        if (begun) history.appeared(content, span.receivedAt, by)
      } else if (row.hash === content.hash) {
        was = 'same'
        unchanged.push(row.seq)
        endDoubt(content.id, span)
      } else {
        was = change(content, answered, row)
        if (was === 'changed') seen.push(row.seq)
      }
      const { id, hash, name, created_at, updated_at } = content
      return { id, version: hash, name, created_at, updated_at, was }
    })
    if (unchanged.length > 0) touch.run({ ...span, run, rows: JSON.stringify(unchanged) })
    if (run === null) history.looked([...seen, ...unchanged], span.receivedAt)
    return items
  }

  function remove(seq: number): void {
    const [row] = searchOf<[search: string]>(seq)
    if (row && seq <= notes.indexedUpTo()) unindex.run(seq, row[0])
    for (const statement of removals) statement.run(seq)
  }

  return {
    writePage: transactions.gathered((page: PageContent, answered: Answered): WrittenPage => {
      const items = write(page.contents, answered)
      if (items.length > 0) notes.newestAt(answered.span.receivedAt)
      const { received, unreadable, returnedOffset } = page
      return { items, received, unreadable, returnedOffset }
    }),

    seePage: transactions.gathered((page: WrittenPage, { span, run }: Answered): WrittenPage | null => {
      const rows = find(page.items.map(({ id }) => toKey(id)))
      const hashes = new Map(rows.map(({ key, hash }) => [key, hash]))
      if (page.items.some(({ id, version }) => hashes.get(toKey(id)) !== version)) return null
      const seen = rows.map(({ seq }) => seq)
      touch.run({ ...span, run, rows: JSON.stringify(seen) })
      for (const { id } of page.items) endDoubt(id, span)
      if (run === null) history.looked(seen, span.receivedAt)
      if (rows.length > 0) notes.newestAt(span.receivedAt)
      return { ...page, items: page.items.map((item) => ({ ...item, was: 'same' })) }
    }),

    markGone: transactions.whole((ids: string[], span: Span): number => {
      let marked = 0
      const list = JSON.stringify(ids.map(toKey))
      const rows = selectToMark<ToMark>(list)
      for (const [seq, key, hash, sentAt, receivedAt, name, json] of rows) {
        if (!isLater(span, { sentAt, receivedAt })) continue
        if (history.hasBegun()) history.gone({ key, name, json }, receivedAt, span.receivedAt)
        setAsGone(seq, hash, span)
        marked += 1
      }
      return marked
    }),

    cleanUp: transactions.whole((before: number): number => {
      const rows = goneBefore.all(before) as { seq: number }[]
      for (const { seq } of rows) remove(seq)
      return rows.length
    }),

    index: transactions.whole((): void => {
      const from = notes.indexedUpTo()
      const seq = highestRow()
      if (seq <= from) return
      indexRange.run(from, seq)
      notes.noteIndexed(seq)
    }),
  }
}

/** The values that decide which of two contents of a deployment is newer. */
export interface Dated extends Span {
  updated_at: string | null
}

/**
 * Whether `incoming` replaces `stored`. If the service's own `updated_at` differs, it decides. Otherwise the answer to
 * the later request does, even if the two calls overlapped.
 */
export function isNewer(incoming: Dated, stored: Dated): boolean {
  if (isDatedAlike(incoming, stored)) return isLater(incoming, stored)
  return time(incoming.updated_at) > time(stored.updated_at)
}

/** Whether the service's own `updated_at` doesn't tell two contents apart. */
function isDatedAlike(one: Pick<Dated, 'updated_at'>, other: Pick<Dated, 'updated_at'>): boolean {
  const difference = time(one.updated_at) - time(other.updated_at)
  return difference === 0 || Number.isNaN(difference)
}

/** Whether an answer was requested later than another one, or the clock was set back since that one. */
export function isLater(answer: Span, other: Span): boolean {
  return other.receivedAt - answer.receivedAt > clockWasSetMs || answer.sentAt >= other.sentAt
}

const time = (text: string | null): number => readTime(text) ?? Number.NaN

/** How many deployments of known pages a cache remembers, at about 250 bytes each. */
const maxDeployments = 120_000

/** A small cache remembers pages of this many deployments, even if it has fewer. */
const fewestDeployments = 1_000

/**
 * The pages that were written last, by the checksum of their body. A page that comes again unchanged isn't parsed
 * again. A deployment that is added at the beginning of the list changes every page, so the limit is twice the length
 * of the list: enough for a whole synchronisation and for what the operator browses meanwhile.
 */
export interface KnownPages {
  /** The page with a body. It counts as just used. */
  find: (checksum: string) => WrittenPage | undefined
  /** Remembers a page, and forgets the least recently used ones. */
  remember: (checksum: string, page: WrittenPage) => void
}

/** Identifies a body, as the contract says. */
export function bodyDigest(body: Uint8Array): string {
  return createHash('sha1').update(body).digest('base64')
}

/** `deployments` gives how many the cache has. */
export function createKnownPages(deployments: () => number): KnownPages {
  // The least recently used first.
  const pages = new Map<string, WrittenPage>()
  let items = 0

  function forget(checksum: string): WrittenPage | undefined {
    const page = pages.get(checksum)
    if (!page) return undefined
    pages.delete(checksum)
    items -= page.items.length
    return page
  }

  function add(checksum: string, page: WrittenPage): void {
    pages.set(checksum, page)
    items += page.items.length
  }

  return {
    find(checksum) {
      const page = forget(checksum)
      if (page) add(checksum, page)
      return page
    },
    remember(checksum, page) {
      forget(checksum)
      // An empty page costs nothing to parse.
      if (page.items.length === 0) return
      add(checksum, page)
      const limit = Math.min(maxDeployments, Math.max(fewestDeployments, 2 * deployments()))
      for (const oldest of pages.keys()) {
        if (items <= limit) break
        forget(oldest)
      }
    },
  }
}
