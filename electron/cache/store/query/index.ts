import { randomBytes } from 'node:crypto'
import { foldName, searchWords, splitIds } from '@contract'
import { type CachedPageRequest, type CachedQuery, type StatusCounts } from '@contract/cache'
import type Database from 'libsql'
import { isoMoment, prepareRows, storable, toKey } from '../database'
import { maxStatuses } from '@contract/deployment-api/list'
import { deploymentStatuses } from '@contract/deployment-api/statuses'

/** A part of a statement's condition and the values of its parameters. */
export interface Condition {
  sql: string
  values: unknown[]
}

/** The order of a query, as SQL. The row's number makes it total. */
const sortExpressions: Record<CachedQuery['sort']['by'], string> = {
  name: 'name_order',
  status: 'status',
  source: 'source',
  runs: 'runs_order',
  // First rolling out, then up to date, then without a revision.
  revision: "coalesce(latest_revision_id, '') = coalesce(active_revision_id, '')",
  updated_at: 'updated_at',
  created_at: 'created_at',
}

/**
 * Deployments that are rolling out, or have a status other than these two, which last until someone acts. SQLite uses
 * the index `deployment_unsettled` only for exactly these words.
 */
const unsettled = `gone_at is null and (status not in ('READY', 'UNUSED')
  or (latest_revision_id is not null and latest_revision_id is not active_revision_id))`

/**
 * Deployments that are rolling out, by the rule of `isRollingOut` (contract). They are unsettled,
 * which has an index.
 */
export const rollingOut = `${unsettled} and status not like '%delet%' and status not like '%terminat%'
  and (status = 'AWAITING_DATABASE'
    or (latest_revision_id is not null and latest_revision_id is not active_revision_id))`

/** How many results are kept: one for each query that someone is scrolling through. */
const maxSnapshots = 8

/** A row of the list as it is stored. */
type ShownRow = [receivedAt: number, goneAt: number | null, shown: string]

/** The result of a query: the numbers of the matching rows in order. */
interface Snapshot {
  rows: number[]
  query: string
}

/**
 * Answers queries of the cached list. The first page of a query finds all matching rows in order. Every further page is
 * a slice of that. So any depth costs the same, and rows keep their places while others are written.
 */
export function createQuerier(
  db: Database.Database,
  indexedUpTo: () => number,
  countStatuses: CountStatuses,
) {
  const snapshots = new Map<string, Snapshot>()
  const rowsOf = prepareRows(
    db,
    'c.received_at, d.gone_at, t.shown',
    `from json_each(?) as place join copy as c on c.seq = place.value
     join deployment as d on d.seq = place.value join detail as t on t.seq = place.value
     order by place.key`,
  )

  // Unsettled deployments aren't gone, and the list's own rows are far apart.
  const unsettledRowsOf = prepareRows(
    db,
    'c.received_at, null, t.shown',
    `from json_each(?) as place join copy as c on c.seq = place.value
     join detail as t on t.seq = place.value order by place.key`,
  )

  const countUnsettled = db.prepare(`select count(*) as count from deployment where ${unsettled}`)
  const leastRecent = prepareRows(
    db,
    'seq',
    `from deployment where ${unsettled} order by updated_at is null, updated_at, seq limit ?`,
  )

  /** The statement of the last query: while a term is typed, only its values change. */
  let finding: { sql: string; statement: Database.Statement } | null = null

  function find(query: CachedQuery): number[] {
    const conditions = [
      ...filterConditions(query.filters),
      ...(query.name === undefined ? [] : [{ sql: 'name = ?', values: [storable(query.name)] }]),
      ...(query.rollingOut ? [{ sql: rollingOut, values: [] }] : []),
      ...orNoted(searchConditions(query.search, indexedUpTo()), query.noted ?? []),
    ]
    const where = conditions.length > 0 ? `where ${conditions.map(({ sql }) => sql).join(' and ')}` : ''
    const direction = query.sort.descending ? 'desc' : 'asc'
    const sql = `select cast(json_group_array(seq) as blob) as rows from (
      select seq from deployment ${where}
      order by ${sortExpressions[query.sort.by]} ${direction}, seq ${direction})`
    if (finding?.sql !== sql) finding = { sql, statement: db.prepare(sql) }
    const values = conditions.flatMap((condition) => condition.values)
    const found = finding.statement.get(...values) as { rows: ArrayBuffer }
    return JSON.parse(Buffer.from(found.rows).toString()) as number[]
  }

  function snapshotFor(request: CachedPageRequest): [string, Snapshot] {
    const query = JSON.stringify(request.query)
    const known = request.snapshot === null ? undefined : snapshots.get(request.snapshot)
    const isKnown = known?.query === query
    const name = isKnown ? (request.snapshot as string) : randomBytes(8).toString('hex')
    const snapshot = isKnown ? known : { rows: find(request.query), query }
    // The most recently used one comes last: an operator's list outlasts queries that are made beside it.
    snapshots.delete(name)
    snapshots.set(name, snapshot)
    for (const oldest of [...snapshots.keys()].slice(0, -maxSnapshots)) snapshots.delete(oldest)
    return [name, snapshot]
  }

  return {
    /** A page, with `rows` as JSON text of the contract's `CachedSummary`. */
    page(request: CachedPageRequest) {
      const [name, { rows }] = snapshotFor(request)
      const slice = rows.slice(request.offset, request.offset + request.limit)
      return {
        snapshot: name,
        total: rows.length,
        rows: textOf(rowsOf<ShownRow>(JSON.stringify(slice))),
      }
    },
    /**
     * How many deployments have each status, how many are unsettled (as above), and up to `max` of those, the least
     * recently updated first.
     */
    overview(max: number) {
      const { count: total } = countUnsettled.get() as { count: number }
      const first = leastRecent<[seq: number]>(max).map(([seq]) => seq)
      return {
        statuses: countStatuses(),
        total,
        rows: textOf(unsettledRowsOf<ShownRow>(JSON.stringify(first))),
      }
    },
    /** Drops the snapshots, because rows were removed. */
    forget: (): void => snapshots.clear(),
  }
}

/** Rows of the list as JSON text. Throws a `SyntaxError` for a row that is damaged. */
function textOf(rows: ShownRow[]): string {
  const texts = rows.map(([receivedAt, goneAt, shown]) => {
    const times = JSON.stringify({ fetched_at: isoMoment(receivedAt), gone_at: isoMoment(goneAt) })
    return `${shown.slice(0, -1)},${times.slice(1)}`
  })
  const text = `[${texts.join()}]`
  JSON.parse(text)
  return text
}

/** The filters that a cache can apply, with the interface's meaning: absent, null and empty mean no filter. */
function filterConditions(filters: CachedQuery['filters']): Condition[] {
  const conditions: Condition[] = []
  for (const column of ['image_version', 'deployment_type'] as const) {
    const value = filters[column]
    if (value) conditions.push({ sql: `${column} = ?`, values: [storable(value)] })
  }
  if (filters.statuses?.length) {
    conditions.push({
      sql: 'status in (select value from json_each(?))',
      values: [JSON.stringify(filters.statuses.map(storable))],
    })
  }
  if (filters.name_contains) {
    // The name is the first line.
    conditions.push({
      sql: 'instr(substr(search, 1, instr(search, char(10)) - 1), ?) > 0',
      values: [foldName(storable(filters.name_contains))],
    })
  }
  const typed = splitIds(filters.deployment_ids)
  for (const ids of [typed.length > 0 ? typed : null, filters.ids]) {
    if (ids) conditions.push(isOneOf(ids))
  }
  return conditions
}

const isOneOf = (ids: readonly string[]): Condition => ({
  sql: 'seq in (select seq from copy where id in (select value from json_each(?)))',
  values: [JSON.stringify(ids.map(toKey))],
})

/** The conditions of a search, or one of some deployments. */
function orNoted(conditions: readonly Condition[], noted: readonly string[]): readonly Condition[] {
  if (conditions.length === 0 || noted.length === 0) return conditions
  const other = isOneOf(noted)
  return [
    {
      sql: `(${other.sql} or (${conditions.map(({ sql }) => sql).join(' and ')}))`,
      values: [...other.values, ...conditions.flatMap(({ values }) => values)],
    },
  ]
}

/**
 * Every word must occur. The longest word in the index is looked up there. Rows that aren't indexed yet are scanned. A
 * word that may be part of a pasted identifier is also searched in all identifiers.
 */
export function searchConditions(search: string, indexedUpTo: number): Condition[] {
  const words = searchWords(storable(search))
  const plain = words.filter((word) => !isIdentifierPart(word))
  const conditions = words.map((word): Condition =>
    isIdentifierPart(word)
      ? { sql: '(instr(identifiers, ?) > 0 or instr(search, ?) > 0)', values: [word, word] }
      : { sql: 'instr(search, ?) > 0', values: [word] },
  )
  const [longest] = plain.sort((one, other) => other.length - one.length)
  const match = longest === undefined ? null : trigramQuery(longest)
  if (match !== null) {
    // Other rows may have the same trigrams. The plain comparison decides.
    conditions.unshift({
      sql: `seq in (select rowid from finder where finder match ?
                    union all select seq from deployment where seq > ?)`,
      values: [match, indexedUpTo],
    })
  }
  return conditions
}

function isIdentifierPart(word: string): boolean {
  return /^[0-9a-f-]{8,}$/.test(word)
}

/** Counts the deployments of each status, without those that are gone. */
export type CountStatuses = () => Pick<StatusCounts, 'counts' | 'others'>

/**
 * Prepares the counting. Statuses are a service's texts: of those that the interface doesn't name, only the most
 * frequent ones are listed, so that the reply never has more than a screen shows.
 */
export function prepareStatuses(db: Database.Database): CountStatuses {
  const named = deploymentStatuses.map((status) => `'${status}'`).join(', ')
  const mostFrequent = prepareRows(
    db,
    'status, number, statuses, deployments',
    `from (select status, number, count(*) over () as statuses, sum(number) over () as deployments
           from (select status, count(*) as number from deployment where gone_at is null group by status)
           order by status in (${named}) desc, number desc, status limit ${maxStatuses})`,
  )
  return () => {
    const rows = mostFrequent<[status: string, number: number, statuses: number, deployments: number]>()
    const counts = rows.map(([status, count]) => ({ status, count }))
    const [, , statuses, deployments] = rows[0] ?? ['', 0, 0, 0]
    const listed = counts.reduce((sum, { count }) => sum + count, 0)
    return { counts, others: { statuses: statuses - counts.length, deployments: deployments - listed } }
  }
}

/** How many trigrams of a word are looked up. With a few, almost all found rows have the word. */
const maxLookedUp = 3

/**
 * A query of the search index for some of a word's trigrams, spread over it, so that not all of them belong to a common
 * prefix or ending. The first one is left out of a longer word: it is the most common. Every row with the word matches.
 * Null if the word is too short for the index.
 */
function trigramQuery(word: string): string | null {
  const trigrams = [...trigramsOf(word)]
  const last = trigrams.length - 1
  if (last < 0) return null
  const places = Array.from({ length: maxLookedUp }, (_, index) =>
    Math.round(((index + 1) * last) / maxLookedUp),
  )
  return [...new Set(places)].map((place) => `"${trigrams[place]!.replaceAll('"', '""')}"`).join(' AND ')
}

/** The different trigrams of a text, by code points like SQLite's tokenizer. */
function trigramsOf(text: string): Set<string> {
  const points = [...text]
  const trigrams = new Set<string>()
  for (let index = 0; index + 3 <= points.length; index += 1) {
    const trigram = points.slice(index, index + 3).join('')
    // A query can't contain a NUL.
    if (!trigram.includes('\0')) trigrams.add(trigram)
  }
  return trigrams
}
