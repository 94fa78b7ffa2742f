import { createHash } from 'node:crypto'
import { foldName, type ListFilters, splitIds } from '@contract'
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { DeploymentAnswer } from '../api/schemas'
import { type Database, inChunks } from './database'
import type { Tables } from './tables'
import { isDue, isoOf, isThere, never, placeKeptMs, stateAt, type StateNow } from './times'

/** How many bytes of documents, or of revisions' configs, are read at once. A single one may be larger. */
export const mostBytesAtOnce = 1024 * 1024

/** A deployment to be stored: its answer, and data that the answer doesn't show. */
export interface NewDeployment {
  answer: DeploymentAnswer
  /** When provisioning ends and the deployment becomes READY, in milliseconds; null if it doesn't. */
  readyAt: number | null
  tagValueIds: string[]
  /** Why the build of its latest revision failed; null if it didn't. */
  failure: string | null
}

/** What holds a name: nothing (null), a deployment, or only the tracing project of an earlier one. */
export type NameHolder = 'deployment' | 'tracing project' | null

/** A deployment of a tenant. */
export interface Target {
  id: string
  tenantId: string
}

/** The position of a page in a tenant's list, and its filters. */
export type PageQuery = ListFilters & AgentFilters & { tenantId: string; limit: number; offset: number }

/** Filters that the interface doesn't have. */
interface AgentFilters {
  agent_id?: string | null | undefined
  agent_environment?: string | null | undefined
  is_preview?: boolean | null | undefined
}

/** A deployment of a page. */
export interface FoundDeployment {
  /** Its key in the database. */
  sequence: number
  /** The size of its stored document, in bytes. */
  bytes: number
  /** Its document (JSON text); null if that is too large to be read together with the whole page. */
  document: string | null
  /** Its place after the page's offset, from 1. Deleted deployments keep their places for a while. */
  place: number
}

const bytes = sql<number>`octet_length(document)`

/** The statements about deployments. */
export function deploymentTable({ read, isPostgres }: Database) {
  /** The document (JSON text) of a deployment at `now` (milliseconds); null if there is none. */
  async function document({ id, tenantId }: Target, now: number): Promise<string | null> {
    const row = await read((database) =>
      documentsAt(database, now)
        .where('id', '=', id.toLowerCase())
        .where('tenant_id', '=', tenantId)
        .where(isThere(now))
        .executeTakeFirst(),
    )
    return row === undefined ? null : wholeDocument(row.document, row)
  }

  return {
    document,

    /** A deployment at `now` (milliseconds); null if there is none. */
    async get(target: Target, now: number): Promise<DeploymentAnswer | null> {
      const text = await document(target, now)
      return text === null ? null : (JSON.parse(text) as DeploymentAnswer)
    },

    /** The deployments of a page at `now` (milliseconds), the newest first. */
    async find({ tenantId, limit, offset, ...filters }: PageQuery, now: number): Promise<FoundDeployment[]> {
      const most = Math.floor(mostBytesAtOnce / limit)
      const rows = await read((database) =>
        database
          .selectFrom('deployments')
          .select((query) => [
            'sequence',
            'gone_at',
            bytes.as('bytes'),
            sql<string | null>`case when ${bytes} <= ${most} and ${isThere(now)} then document end`.as(
              'document',
            ),
            ...stateAt(query, now),
          ])
          .where('tenant_id', '=', tenantId)
          .where((query) => query.and(conditionsOf(query, filters, now, isPostgres)))
          .orderBy('created_at', 'desc')
          .orderBy('sequence', 'desc')
          .limit((query) => {
            const gone = query
              .selectFrom('deployments as others')
              .select(({ fn }) => fn.countAll().as('count'))
              .where('others.gone_at', '<=', now)
            return sql<number>`${limit} + (${gone})`
          })
          .offset(offset)
          .execute(),
      )
      // Without copies of rows, which would take as long as the statement.
      return rows
        .flatMap((row, index) => {
          const { sequence, bytes: size, document: text, gone_at } = row
          if (gone_at !== null && gone_at <= now) return []
          const whole = text === null ? null : wholeDocument(text, row)
          return { sequence, bytes: size, document: whole, place: index + 1 }
        })
        .slice(0, limit)
    },

    /** The documents (JSON texts) of deployments at `now` (milliseconds), the newest first. */
    async documents(found: readonly FoundDeployment[], now: number): Promise<string[]> {
      const documents = found.flatMap((one) => one.document ?? [])
      if (documents.length === found.length) return documents
      const sequences = found.map(({ sequence }) => sequence)
      const rows = await read((database) =>
        documentsAt(database, now)
          .where('sequence', 'in', sequences)
          .orderBy('created_at', 'desc')
          .orderBy('sequence', 'desc')
          .execute(),
      )
      return rows.map((row) => wholeDocument(row.document, row))
    },

    /** How many deployments are being provisioned, or have revisions that are rolling out. */
    async provisioning(): Promise<number> {
      const row = await read((database) =>
        database
          .selectFrom('deployments')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('ready_at', '>', Date.now())
          .executeTakeFirstOrThrow(),
      )
      return row.count
    },

    /**
     * Takes a name of a tenant, unless something holds it, which it gives then. The name of a deployment that was deleted
     * together with its tracing project is free once that is gone.
     */
    async takeName(transaction: Transaction<Tables>, tenantId: string, name: string): Promise<NameHolder> {
      const hash = hashOf(tenantId, name)
      const now = Date.now()
      const taken = await transaction
        .insertInto('tracing_projects')
        .values({ name_hash: hash })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (taken.numInsertedOrUpdatedRows === 1n) return null
      const freed = await transaction
        .updateTable('deployments')
        .set({ frees_name: 0 })
        .where('name_hash', '=', hash)
        .where('frees_name', '=', 1)
        .where('gone_at', '<=', now)
        .executeTakeFirst()
      if (freed.numUpdatedRows > 0n) return null
      const holder = await transaction
        .selectFrom('deployments')
        .select('sequence')
        .where('name_hash', '=', hash)
        .where(isThere(now))
        .executeTakeFirst()
      return holder === undefined ? 'tracing project' : 'deployment'
    },

    /** Inserts deployments with their revisions and tags, the oldest first. Their names have been taken. */
    async insert(transaction: Transaction<Tables>, deployments: readonly NewDeployment[]): Promise<void> {
      for (const some of inChunks(deployments)) {
        const rows = await transaction
          .insertInto('deployments')
          .values(some.map(rowOf))
          .returning(['sequence', 'id'])
          .execute()
        const sequences = new Map(rows.map(({ id, sequence }) => [id, sequence]))
        const revisions = some.flatMap((one) => firstRevisions(one, sequences.get(one.answer.id)!))
        if (revisions.length > 0) await transaction.insertInto('revisions').values(revisions).execute()
        const tags = some.flatMap(({ answer, tagValueIds }) =>
          tagValueIds.map((tag_value_id) => ({
            deployment_sequence: sequences.get(answer.id)!,
            tag_value_id,
          })),
        )
        if (tags.length > 0) await transaction.insertInto('deployment_tags').values(tags).execute()
      }
    },

    /** Removes the deployments that no longer have a place in the list, and the names that go with them. */
    async removeGone(transaction: Transaction<Tables>): Promise<void> {
      const before = Date.now() - placeKeptMs
      const old = transaction.selectFrom('deployments').where('gone_at', '<=', before)
      await transaction
        .deleteFrom('tracing_projects')
        .where('name_hash', 'in', old.select('name_hash').where('frees_name', '=', 1))
        .execute()
      await transaction.deleteFrom('deployments').where('gone_at', '<=', before).execute()
    },
  }
}

/** Selects the documents of deployments, with what `wholeDocument` completes them by. */
export const documentsAt = (database: Kysely<Tables>, now: number) =>
  database.selectFrom('deployments').select((query) => ['document', ...stateAt(query, now)])

/** What takes a name: names are unique for each tenant, and none contains a line break. */
export const hashOf = (tenantId: string, name: string): string =>
  createHash('sha256').update(`${tenantId}\n${name}`).digest('hex')

function rowOf({ answer, readyAt }: NewDeployment) {
  const { id, name, tenant_id, source_config, agent } = answer
  return {
    ...stateRowOf(answer),
    id,
    tenant_id,
    name_hash: hashOf(tenant_id, name),
    search_name: foldName(name),
    remote_reconciled: source_config.listener_id === null ? 0 : 1,
    image_version: answer.image_version,
    deployment_type: source_config.deployment_type ?? null,
    agent_id: agent?.agent_id ?? null,
    agent_environment: agent?.environment ?? null,
    is_preview: answer.is_preview ? 1 : 0,
    created_at: Date.parse(answer.created_at),
    ready_at: readyAt,
    gone_at: null,
  }
}

/**
 * The rows of the revisions of a deployment that is being stored: the latest one and, in a sample, an earlier one that is
 * still active. A sample's rollouts never end, unless their build has failed.
 */
function firstRevisions({ answer, readyAt, failure }: NewDeployment, sequence: number) {
  const { latest_revision_id: latest, active_revision_id: active, created_at, updated_at } = answer
  const common = {
    deployment_sequence: sequence,
    source_revision_config: JSON.stringify(answer.source_revision_config),
    interrupted_at: null,
  }
  const always = { starts_at: null, ends_at: null }
  const rows = []
  if (active !== null && active !== latest) {
    const earlier = { id: active, number: 0, created_at: Date.parse(created_at), status_message: null }
    rows.push({ ...common, ...always, ...earlier })
  }
  if (latest === null) return rows
  const stuck = active === latest || failure !== null ? always : { starts_at: never, ends_at: never }
  const times = readyAt === null ? stuck : { starts_at: Date.parse(created_at), ends_at: readyAt }
  const newest = { id: latest, number: 1, created_at: Date.parse(updated_at), status_message: failure }
  return [...rows, { ...common, ...times, ...newest }]
}

/** The columns of a deployment that change. */
export function stateRowOf(answer: DeploymentAnswer) {
  const { status, updated_at, active_revision_id, ...rest } = answer
  return {
    status,
    updated_at: Date.parse(updated_at),
    latest_revision_id: answer.latest_revision_id,
    active_revision_id,
    document: JSON.stringify(rest),
  }
}

/** A stored document, completed with the members that are columns. None of these has a character that JSON escapes. */
export function wholeDocument(
  document: string,
  { status_now: status, updated_now: at, active_now: active }: StateNow,
): string {
  const revision = active === null ? 'null' : `"${active}"`
  const state = `"updated_at":"${isoOf(at)}","status":"${status}","active_revision_id":${revision}`
  return `${document.slice(0, -1)},${state}}`
}

/** The conditions of filters. */
function conditionsOf(
  query: ExpressionBuilder<Tables, 'deployments'>,
  filters: ListFilters & AgentFilters,
  now: number,
  isPostgres: boolean,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = []
  const ids = (text: string | null | undefined): string[] => splitIds(text).map((id) => id.toLowerCase())
  const { name_contains, status } = filters
  // No stored text contains this character, and PostgreSQL refuses texts that do.
  if (Object.values(filters).some((value) => typeof value === 'string' && value.includes('\0'))) {
    return [sql<boolean>`1 = 0`]
  }
  if (name_contains) {
    const position = sql.raw(isPostgres ? 'strpos' : 'instr')
    conditions.push(sql<boolean>`${position}(search_name, ${foldName(name_contains)}) > 0`)
  }
  if (status) {
    const due = sql<boolean>`(ready_at is not null and ${isDue(now)})`
    conditions.push(
      status === 'READY'
        ? sql<boolean>`(status = 'READY' or ${due})`
        : sql<boolean>`(status = ${status} and not ${due})`,
    )
  }
  for (const column of ['remote_reconciled', 'is_preview'] as const) {
    const value = filters[column]
    if (typeof value === 'boolean') conditions.push(query(column, '=', Number(value)))
  }
  for (const column of ['image_version', 'deployment_type', 'agent_id', 'agent_environment'] as const) {
    const value = filters[column]
    if (value) conditions.push(query(column, '=', value))
  }
  const listed = ids(filters.deployment_ids)
  if (listed.length > 0) conditions.push(query('id', 'in', listed))
  const tags = ids(filters.tag_value_ids)
  if (tags.length > 0) {
    const tagged = query.selectFrom('deployment_tags').select('deployment_sequence')
    conditions.push(query('sequence', 'in', tagged.where('tag_value_id', 'in', tags)))
  }
  return conditions
}
