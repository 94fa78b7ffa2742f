import type Database from 'libsql'
import { cacheNotes } from '@contract/cache'

/** The indexes for sorting. Without them, sorting is only slower. */
const sortIndexes = {
  deployment_by_created: 'deployment (created_at, seq)',
  deployment_by_updated: 'deployment (updated_at, seq)',
  deployment_by_name: 'deployment (name_order, seq)',
  deployment_by_agent: 'deployment (agent, version, gone_at) where gone_at is null',
}

const createSortIndexes = Object.entries(sortIndexes)
  .map(([name, columns]) => `create index if not exists ${name} on ${columns};`)
  .join('\n')

/** The number of the schema. Raise it with every change: a file with another number is set aside. */
const schemaNumber = 5

/**
 * The schema.
 *
 * `copy` is narrow, because a synchronisation without changes reads and writes nothing else. `deployment` has what the
 * list filters and sorts by. `detail` has what it and the board show, and then the long JSON text, so that a scan reads
 * neither. `search` is name, repository, image and the deployment's own identifier, `identifiers` all
 * identifiers, folded (`foldName`). `name_order` and `runs_order` have the order of the collator (`orderKey`). `finder` indexes `deployment.search` up to the row in the note `finder-up-to`. Later rows are scanned.
 * Identifiers are stored as `toKey` makes them. `agent` and `version` are keys that code alone can make
 * (`electron/domain/agents`).
 *
 * `history` has a row for each answer that showed changes of a deployment, `earlier` what was known of it before,
 * packed. Numbers of removed rows don't come back. `observed` has the times in which the whole list was read again and
 * again, `look` those of single deployments.
 *
 * `deployment_by_agent`, `deployment_statuses` and `deployment_unsettled` have every column that the board and the
 * Overview ask for, also `gone_at`, which is null in all of them: otherwise SQLite reads the row, too.
 */
const schema = `
create table copy (
  seq integer primary key,
  id text not null unique,
  hash text not null,
  sent_at integer not null,
  received_at integer not null,
  run integer
);
create table deployment (
  seq integer primary key,
  name text not null,
  name_order text not null,
  source text not null,
  status text not null,
  latest_revision_id text,
  active_revision_id text,
  image_version text,
  created_at text,
  updated_at text,
  deployment_type text,
  runs_order text,
  search text not null,
  identifiers text not null,
  gone_at integer,
  agent text not null,
  version text not null
);
create table detail (
  seq integer primary key,
  shown text not null,
  agent text not null,
  version text not null,
  json text not null
);
create table repositories (
  integration_id text primary key,
  json text not null,
  sent_at integer not null,
  received_at integer not null
);
create table note (key text primary key, value text not null);
create index deployment_gone on deployment (gone_at) where gone_at is not null;
create virtual table finder using fts5 (
  search, content = 'deployment', content_rowid = 'seq', tokenize = 'trigram', detail = none, columnsize = 0
);
create table history (
  seq integer primary key autoincrement,
  id text not null,
  seen_at integer not null,
  bytes integer not null,
  entry text not null
);
create index history_of_deployment on history (id, seq);
create index history_by_time on history (seen_at, bytes);
create table earlier (seq integer primary key, content blob not null);
create table observed (seq integer primary key, from_at integer not null, to_at integer not null);
create table look (
  seq integer not null, from_at integer not null, to_at integer not null, primary key (seq, from_at)
) without rowid;
create index deployment_statuses on deployment (status, deployment_type, gone_at) where gone_at is null;
create index deployment_unsettled on deployment (
  updated_at is null, updated_at, seq, gone_at, status, latest_revision_id, active_revision_id
) where gone_at is null and (status not in ('READY', 'UNUSED')
  or (latest_revision_id is not null and latest_revision_id is not active_revision_id));
${createSortIndexes}
pragma user_version = ${schemaNumber};
`

/** Creates the schema of a new database. Throws `Damaged` if the database has another schema than this. */
export function createSchema(db: Database.Database): void {
  const [{ user_version: found = 0 } = {}] = db.pragma('user_version') as { user_version?: number }[]
  if (found === schemaNumber) return
  const isNew = found === 0 && db.prepare('select 1 from sqlite_master limit 1').get() === undefined
  if (!isNew) throw new Damaged(`schema ${found} instead of ${schemaNumber}`)
  inTransaction(db, () => db.exec(schema))()
}

/**
 * Drops the indexes for sorting. While an empty cache is filled, names come in random order. Each page would change
 * most of an index, which is encrypted and written every time.
 */
export function dropSortIndexes(db: Database.Database): void {
  for (const name of Object.keys(sortIndexes)) db.exec(`drop index if exists ${name}`)
}

/** Creates missing indexes for sorting. */
export function ensureSortIndexes(db: Database.Database): void {
  inTransaction(db, () => db.exec(createSortIndexes))()
}

/** Damage that SQLite itself reads without an error. */
export class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/** Reads rows, each an array of the values of its columns. */
export type Rows = <Row extends unknown[]>(...parameters: unknown[]) => Row[]

/**
 * Prepares a query whose rows are read as one JSON text, which is cheaper than single values. The text is read as
 * bytes: libsql ends the process if a text in a damaged file isn't UTF-8.
 *
 * @param columns the columns of each row, as SQL
 * @param rest the query from `from` on
 */
export function prepareRows(db: Database.Database, columns: string, rest: string): Rows {
  const statement = db.prepare(
    `select cast('[' || coalesce(group_concat(line), '') || ']' as blob) as lines
     from (select json_array(${columns}) as line ${rest})`,
  )
  return <Row extends unknown[]>(...parameters: unknown[]): Row[] => {
    try {
      const { lines } = statement.get(...parameters) as { lines: ArrayBuffer }
      return JSON.parse(Buffer.from(lines).toString()) as Row[]
    } catch (error) {
      throw isOfValues(error) ? new Damaged('a row is not text') : error
    }
  }
}

/**
 * Whether an error is about the values of a row: they aren't JSON, or SQLite found a blob where only text is written.
 */
const isOfValues = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.message === 'JSON cannot hold BLOB values')

/** A time in a row as ISO 8601; null if it isn't valid. */
export function isoMoment(moment: unknown): string | null {
  if (typeof moment !== 'number' || !(moment >= 0 && moment < 8.64e15)) return null
  return new Date(moment).toISOString()
}

/**
 * The form in which an identifier is stored and looked up. Different identifiers have different forms, which every
 * layer below stores unchanged. In places, SQLite stops at a NUL, and half a surrogate pair has no UTF-8. Usual
 * identifiers don't change.
 */
export function toKey(identifier: string): string {
  return JSON.stringify(identifier).slice(1, -1)
}

/** The identifier of a key that `toKey` made. */
export function fromKey(key: string): string {
  return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key
}

/** Text for search and sorting. Characters that can't be stored become U+FFFD. */
export const storable = <T extends string | null>(text: T): T | string =>
  text === null ? text : text.toWellFormed().replaceAll('\0', '\ufffd')

/**
 * The prefix of the checksum of a deployment that is marked as gone, so that it counts as changed when it comes back.
 */
export const gonePrefix = 'gone:'

/** The note of the highest row in the search index. */
const indexNote = 'finder-up-to'

export type Notes = ReturnType<typeof createNotes>

/** Small texts that are stored in the cache: the state of a synchronisation, the end of the search index. */
export function createNotes(db: Database.Database) {
  const select = prepareRows(db, 'value', 'from note where key = ?')
  const insert = db.prepare(
    'insert into note (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const remove = db.prepare('delete from note where key = ?')

  const read = (key: string): string | null => select<[value: string]>(key)[0]?.[0] ?? null

  function write(key: string, value: string | null): void {
    if (value === null) remove.run(key)
    else insert.run(key, value)
  }

  return {
    read,
    /** Null removes it. */
    write,
    /** Stores when the service last answered with something that is cached. */
    newestAt: (moment: number): void => write(cacheNotes.newestAt, String(moment)),
    /** The highest row in the search index. */
    indexedUpTo: (): number => Number(read(indexNote) ?? 0),
    noteIndexed: (seq: number): void => write(indexNote, String(seq)),
  }
}

/**
 * How many answers share a commit. Each changes pages throughout an index, which are encrypted and written with every
 * commit.
 */
const gatheredAtMost = 30

/**
 * How long after the last write the gathered ones are committed, in milliseconds. With a slow service, each is
 * committed alone. A fast one leaves shorter gaps, even on a busy machine.
 */
const gatheredForMs = 250

type Function<Arguments extends unknown[], Result> = (...parameters: Arguments) => Result

/**
 * The transactions of a connection.
 *
 * @param undone is called after a rollback: what was remembered of these writes no longer holds
 */
export function createTransactions(db: Database.Database, undone: () => void) {
  let gathering = false
  let gathered = 0
  let timer: NodeJS.Timeout | undefined
  /** Why what was gathered since the start is lost. */
  let lost: Error | null = null

  /** Undoes everything that isn't committed if `work` throws. */
  function orUndo<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (gathering) lost ??= error as Error
      rollBack(db)
      undone()
      throw error
    }
  }

  function commit(): void {
    clearTimeout(timer)
    gathered = 0
    if (db.inTransaction) orUndo(() => db.exec('commit'))
  }

  function commitLate(): void {
    try {
      commit()
    } catch {
      // The next write throws it.
    }
  }

  const alone = <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
    parameters: Arguments,
  ): Result => orUndo(() => inTransaction(db, body)(...parameters))

  return {
    /**
     * Makes a function one transaction: it writes everything or, if it throws, nothing. Gathered writes are committed
     * first.
     */
    whole:
      <Arguments extends unknown[], Result>(body: Function<Arguments, Result>): Function<Arguments, Result> =>
      (...parameters) => {
        commit()
        return alone(body, parameters)
      },

    /**
     * Makes a function that also writes everything or nothing. While `gather` is on, several calls are committed
     * together, the last ones a moment later. If one of them or a commit fails, all that isn't committed is lost, and
     * later calls throw the same error until gathering ends.
     */
    gathered:
      <Arguments extends unknown[], Result>(body: Function<Arguments, Result>): Function<Arguments, Result> =>
      (...parameters) => {
        if (!gathering) return alone(body, parameters)
        if (lost) throw lost
        return orUndo(() => {
          if (!db.inTransaction) db.exec('begin immediate')
          const result = body(...parameters)
          gathered += 1
          clearTimeout(timer)
          if (gathered >= gatheredAtMost) commit()
          else timer = setTimeout(commitLate, gatheredForMs).unref()
          return result
        })
      },

    /** Starts gathering, or ends it and commits what was gathered. The end throws if any of it is lost. */
    gather(on: boolean): void {
      try {
        commit()
        if (!on && lost) throw lost
      } finally {
        gathering = on
        lost = null
      }
    },
  }
}

export type Transactions = ReturnType<typeof createTransactions>

/** Makes a function one transaction: it writes everything or, if it throws, nothing. */
export function inTransaction<Arguments extends unknown[], Result>(
  db: Database.Database,
  body: Function<Arguments, Result>,
): Function<Arguments, Result> {
  return (...parameters) => {
    db.exec('begin immediate')
    try {
      const result = body(...parameters)
      db.exec('commit')
      return result
    } catch (error) {
      rollBack(db)
      throw error
    }
  }
}

/** On a full disk, SQLite has already ended the transaction. */
function rollBack(db: Database.Database): void {
  if (db.inTransaction) db.exec('rollback')
}
