import type Database from 'libsql'
import { Damaged } from './rows'
import { inTransaction } from './transaction'

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
const schemaNumber = 4

/**
 * The schema.
 *
 * `copy` is narrow, because a synchronisation without changes reads and writes nothing else. `deployment` has what the
 * list filters and sorts by. `detail` has what it shows, and then the long JSON text, so that a scan reads neither. `search` is name, repository, image and the deployment's own identifier, `identifiers` all
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
create table detail (seq integer primary key, shown text not null, json text not null);
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
