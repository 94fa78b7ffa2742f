import type { Observer } from '@contract/cache'
import { digestOf, type Span, type WrittenItem, type WrittenPage } from '../protocol'
import type Database from 'libsql'
import {
  type Content,
  type PageContent,
  readDeploymentBody,
  readPageBody,
  summaryColumns,
  UnreadableAnswer,
} from './content'
import type { History } from './history'
import { Damaged, gonePrefix, type Notes, prepareRows, toKey, type Transactions } from './database'

/** The known data of a stored deployment. */
interface StoredRow extends Span {
  seq: number
  key: string
  hash: string
}

/** The known data of a deployment that an answer changes. */
type StoredColumns = [search: string, goneAt: number | null, json: string]

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

/** An answer: between which moments the service gave it, its synchronisation, and what requested it. */
interface Answered {
  span: Span
  run: number | null
  by: Observer
}

/**
 * Writes answers of the service, and the changes in them into the history. Every function writes everything or nothing.
 * Of two answers about a deployment, the one to the later request counts.
 */
export function createWriter(
  db: Database.Database,
  transactions: Transactions,
  notes: Notes,
  history: History,
) {
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
  const insertDetail = db.prepare(
    'insert into detail (seq, shown, agent, version, json) values (?, ?, ?, ?, ?)',
  )
  const updateCopy = db.prepare(
    'update copy set hash = ?, sent_at = ?, received_at = ?, run = coalesce(?, run) where seq = ?',
  )
  const updateDeployment = db.prepare(
    `update deployment set ${summaryColumns.map((name) => `${name} = ?`).join(', ')}, agent = ?, version = ?,
     gone_at = null where seq = ?`,
  )
  const updateDetail = db.prepare(
    'update detail set shown = ?, agent = ?, version = ?, json = ? where seq = ?',
  )
  const touch = db.prepare(
    `update copy set sent_at = max(sent_at, @sentAt), received_at = max(received_at, @receivedAt),
     run = coalesce(@run, run) where seq in (select value from json_each(@rows))`,
  )
  const setRun = db.prepare('update copy set run = coalesce(?, run) where seq = ?')
  const storedColumns = prepareRows(
    db,
    'd.search, d.gone_at, t.json',
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

  const countAll = db.prepare('select count(*) as count from copy')
  // SQLite reads a whole index to count, which is too much for every page.
  let counted: number | null = null

  const count = (): number => (counted ??= (countAll.get() as { count: number }).count)

  const knownPages = createKnownPages(count)

  const highestRow = (): number => (highest.get() as { seq: number }).seq

  function insert(content: Content, span: Span, run: number | null): number {
    const { key, hash, summary, shown, agent, version, json } = content
    const { lastInsertRowid } = insertCopy.run(key, hash, span.sentAt, span.receivedAt, run)
    const seq = Number(lastInsertRowid)
    insertDeployment.run(seq, ...summary, agent, version)
    insertDetail.run(seq, shown, agent, version, json)
    return seq
  }

  /** Marks a row as gone. Its checksum changes, so that it counts as changed when it comes back. */
  function setAsGone(seq: number, hash: string, { sentAt, receivedAt }: Span): void {
    setGone.run(receivedAt, seq)
    setHash.run(`${gonePrefix}${hash}`, sentAt, seq)
  }

  function change(content: Content, { span, run, by }: Answered, row: StoredRow): 'changed' | 'older' {
    if (!isLater(span, row)) {
      setRun.run(run, row.seq)
      return 'older'
    }
    const [stored] = storedColumns<StoredColumns>(row.seq)
    if (!stored) throw new Damaged('a row has no summary')
    const [search, goneAt, json] = stored
    if (history.hasBegun()) {
      const wasGone = row.hash.startsWith(gonePrefix)
      const before = { json, seenAt: Math.max(row.receivedAt, goneAt ?? 0), wasGone }
      history.changed({ before, now: content, at: span.receivedAt, by })
    }
    const { hash, summary, shown, agent, version } = content
    updateCopy.run(hash, span.sentAt, span.receivedAt, run, row.seq)
    updateDeployment.run(...summary, agent, version, row.seq)
    updateDetail.run(shown, agent, version, content.json, row.seq)
    if (content.search !== search && row.seq <= notes.indexedUpTo()) {
      unindex.run(row.seq, search)
      reindex.run(row.seq, content.search)
    }
    return 'changed'
  }

  /** The known data of stored deployments, by key. */
  function find(keys: string[]): StoredRow[] {
    const rows = selectCopies<[number, string, string, number, number]>(JSON.stringify(keys))
    return rows.map(([seq, key, hash, sentAt, receivedAt]) => ({ seq, key, hash, sentAt, receivedAt }))
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

  const writeContents = transactions.gathered((page: PageContent, answered: Answered): WrittenPage => {
    const items = write(page.contents, answered)
    if (items.length > 0) notes.newestAt(answered.span.receivedAt)
    if (counted !== null) counted += items.filter(({ was }) => was === 'new').length
    const { received, unreadable, returnedOffset } = page
    return { items, received, unreadable, returnedOffset }
  })

  const see = transactions.gathered((page: WrittenPage, { span, run }: Answered): WrittenPage | null => {
    const rows = find(page.items.map(({ id }) => toKey(id)))
    const hashes = new Map(rows.map(({ key, hash }) => [key, hash]))
    if (page.items.some(({ id, version }) => hashes.get(toKey(id)) !== version)) return null
    const seen = rows.map(({ seq }) => seq)
    touch.run({ ...span, run, rows: JSON.stringify(seen) })
    if (run === null) history.looked(seen, span.receivedAt)
    if (rows.length > 0) notes.newestAt(span.receivedAt)
    return { ...page, items: page.items.map((item) => ({ ...item, was: 'same' })) }
  })

  /** Notes that a known page came again; null if it isn't known, or if the cache now differs from it. */
  function seePage(digest: string, answered: Answered): WrittenPage | null {
    const page = knownPages.find(digest)
    return page ? see(page, answered) : null
  }

  return {
    /** `by` says what requested the page, unless it was the synchronisation `run`. */
    writePage(body: Uint8Array, span: Span, run: number | null, by: Observer = 'page'): WrittenPage {
      const answered = { span, run, by: run === null ? by : 'sync' } as const
      const digest = digestOf(body)
      const seen = seePage(digest, answered)
      if (seen) return seen
      const page = readPageBody(body)
      if (!page) throw new UnreadableAnswer('the answer is not a page of deployments')
      const written = writeContents(page, answered)
      knownPages.remember(digest, written)
      return written
    },

    /** The same for a page that synchronisation `run` has read before, by its digest. */
    seePage: (digest: string, span: Span, run: number): WrittenPage | null =>
      seePage(digest, { span, run, by: 'sync' }),

    writeDeployment(body: Uint8Array, span: Span): void {
      const content = readDeploymentBody(body)
      if (!content) throw new UnreadableAnswer('the answer is not a deployment')
      const page = { contents: [content], received: 1, unreadable: 0, returnedOffset: 0 }
      writeContents(page, { span, run: null, by: 'creation' })
    },

    /** How many deployments the cache has. */
    count,

    /** Call it after a rollback. */
    countAnew: (): void => void (counted = null),

    /** Gives how many were marked. */
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

    /** Removes deployments that were marked as gone before a time. Gives how many. */
    cleanUp: transactions.whole((before: number): number => {
      const rows = goneBefore.all(before) as { seq: number }[]
      for (const { seq } of rows) remove(seq)
      counted = null
      return rows.length
    }),

    /** Extends the search index to the newest row. */
    index: transactions.whole((): void => {
      const from = notes.indexedUpTo()
      const seq = highestRow()
      if (seq <= from) return
      indexRange.run(from, seq)
      notes.noteIndexed(seq)
    }),
  }
}

/** Whether an answer was requested later than another one, or with it. */
export const isLater = (answer: Span, other: Span): boolean => answer.sentAt >= other.sentAt

/** How many deployments of known pages a cache remembers, at about 250 bytes each. */
const maxDeployments = 120_000

/** A small cache remembers pages of this many deployments, even if it has fewer. */
const fewestDeployments = 1_000

/**
 * The pages that were written last, by the digest of their body. A page that comes again unchanged isn't parsed again. A
 * deployment that is added at the beginning of the list changes every page, so the limit is twice the length of the
 * list: enough for a whole synchronisation and for what the operator browses meanwhile.
 *
 * @param deployments gives how many the cache has
 */
function createKnownPages(deployments: () => number) {
  // The least recently used first.
  const pages = new Map<string, WrittenPage>()
  let items = 0

  function forget(digest: string): WrittenPage | undefined {
    const page = pages.get(digest)
    pages.delete(digest)
    items -= page?.items.length ?? 0
    return page
  }

  /** Remembers a page, and forgets the least recently used ones. An empty page costs nothing to parse. */
  function remember(digest: string, page: WrittenPage): void {
    forget(digest)
    if (page.items.length === 0) return
    pages.set(digest, page)
    items += page.items.length
    const limit = Math.min(maxDeployments, Math.max(fewestDeployments, 2 * deployments()))
    for (const oldest of pages.keys()) {
      if (items <= limit) break
      forget(oldest)
    }
  }

  return {
    remember,
    /** The page with a body. It counts as just used. */
    find(digest: string): WrittenPage | undefined {
      const page = forget(digest)
      if (page) remember(digest, page)
      return page
    },
  }
}
