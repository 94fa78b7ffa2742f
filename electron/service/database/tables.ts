import { type ColumnType, type Generated, type Migration, type Selectable, sql } from 'kysely'
import type { Role } from '../base/keys'

/** A number that either database assigns. Later rows have higher ones. */
type Sequence = ColumnType<number, never, never>

/**
 * The tables of both databases, in one layout.
 *
 * - Times are in milliseconds, but for those of the audit and the keys, which are only shown: texts (ISO 8601).
 * - A name is taken by its hash, because an index of PostgreSQL takes no text of 1,000 characters.
 * - `deployments.document` is the deployment's answer as JSON text, without the members that change as time passes: these
 *   are columns. Nothing is written while a revision is rolling out: from `ready_at` on, which is when the next one of a
 *   deployment ends, these members follow from its revisions.
 * - `deployments.gone_at` is when a deleted deployment is gone. Its row keeps its place in the list for a while.
 * - `revisions.number` counts a deployment's revisions. Without an end, one has always been there. One with a
 *   `status_message` has a build that fails.
 * - `api_keys` keeps revoked keys: they tell who a name was, and that the service asks for keys.
 * - Values of secrets aren't stored, because this service runs nothing that needs them.
 */
export interface Tables {
  installation: { only_row: number; mode: string; tenant_id: string; ticket_key: string }
  tracing_projects: { name_hash: string }
  deployments: {
    sequence: Sequence
    id: string
    tenant_id: string
    name_hash: string
    search_name: string
    status: string
    remote_reconciled: number
    image_version: string | null
    deployment_type: string | null
    agent_id: string | null
    agent_environment: string | null
    is_preview: number
    created_at: number
    updated_at: number
    ready_at: number | null
    gone_at: number | null
    /** 1 if the tracing project goes with the deployment. */
    frees_name: Generated<number>
    latest_revision_id: string | null
    active_revision_id: string | null
    document: string
  }
  revisions: {
    deployment_sequence: number
    id: string
    number: number
    created_at: number
    starts_at: number | null
    ends_at: number | null
    interrupted_at: number | null
    status_message: string | null
    source_revision_config: string
  }
  deployment_tags: { deployment_sequence: number; tag_value_id: string }
  repositories: { integration_id: string; id: number; url: string; document: string; refs: string | null }
  archives: { id: string; tenant_id: string; deployment_id: string; bytes: number }
  archive_uses: { archive_id: string; deployment_id: string }
  api_keys: {
    sequence: Sequence
    id: string
    name: string
    /** SHA-256 of the whole key, in hexadecimal digits. */
    hash: string
    role: Role
    tenant_id: string | null
    created_at: string
    expires_at: string | null
    revoked_at: string | null
  }
  audit: {
    sequence: Sequence
    /** When (ISO 8601). */
    at: string
    /** The identifier of the request, as in its answer and the log; null for a command. */
    request_id: string | null
    /** The name of the key. If there is no named key, a description that contains a space. */
    by: string
    tenant_id: string | null
    /** `create`, `keys add`, `keys revoke`, `repositories import`, or a method and a path. */
    action: string
    /** The name of the deployment or the key, and the identifier of the deployment or integration, as far as known. */
    name: string | null
    id: string | null
    /**
     * `done`, or `refused` or `failed` with the status of the answer; then how often, if it stands for several requests.
     */
    outcome: string
  }
}

/** An action that was carried out or refused, and who requested it. It contains no secrets. */
export type AuditEntry = Omit<Selectable<Tables['audit']>, 'sequence'>

/** A named key, without its secret part. */
export type StoredKey = Omit<Selectable<Tables['api_keys']>, 'sequence'>

/**
 * All versions of the tables so far: an older database is migrated, one of a later version refused.
 *
 * @param schema what is in front of the names of tables: on PostgreSQL, a schema of their own
 * @param numbered the type of a sequence
 */
export function migrationsFor(schema: string, numbered: string): Record<string, Migration> {
  const tables = [
    `create table ${schema}installation (
       only_row integer primary key check (only_row = 1),
       mode text not null,
       tenant_id text not null,
       ticket_key text not null
     )`,
    `create table ${schema}tracing_projects (name_hash text primary key)`,
    `create table ${schema}deployments (
       sequence ${numbered} primary key,
       id text not null unique,
       tenant_id text not null,
       name_hash text not null,
       search_name text not null,
       status text not null,
       remote_reconciled integer not null,
       image_version text,
       deployment_type text,
       agent_id text,
       agent_environment text,
       is_preview integer not null,
       created_at bigint not null,
       updated_at bigint not null,
       ready_at bigint,
       gone_at bigint,
       frees_name integer not null default 0,
       latest_revision_id text,
       active_revision_id text,
       -- Last, because it may be large, and SQLite would read it on the way to the others.
       document text not null
     )`,
    `create index deployments_newest_first on ${schema}deployments (tenant_id, created_at desc, sequence desc)`,
    `create index deployments_of_name on ${schema}deployments (name_hash)`,
    `create index deployments_gone on ${schema}deployments (gone_at) where gone_at is not null`,
    `create table ${schema}revisions (
       deployment_sequence bigint not null references ${schema}deployments (sequence) on delete cascade,
       id text not null,
       number integer not null,
       created_at bigint not null,
       starts_at bigint,
       ends_at bigint,
       interrupted_at bigint,
       status_message text,
       source_revision_config text not null,
       primary key (deployment_sequence, number)
     )`,
    `create table ${schema}deployment_tags (
       deployment_sequence bigint not null references ${schema}deployments (sequence) on delete cascade,
       tag_value_id text not null,
       primary key (deployment_sequence, tag_value_id)
     )`,
    `create table ${schema}repositories (
       integration_id text not null,
       id bigint not null,
       url text not null,
       document text not null,
       refs text,
       primary key (integration_id, id)
     )`,
    `create index repositories_by_url on ${schema}repositories (integration_id, url)`,
    `create table ${schema}archives (
       id text primary key,
       tenant_id text not null,
       deployment_id text not null,
       bytes bigint not null
     )`,
    `create table ${schema}archive_uses (
       archive_id text not null references ${schema}archives (id) on delete cascade,
       deployment_id text not null,
       primary key (archive_id, deployment_id)
     )`,
    `create table ${schema}api_keys (
       sequence ${numbered} primary key,
       id text not null unique,
       name text not null,
       hash text not null,
       role text not null,
       tenant_id text,
       created_at text not null,
       expires_at text,
       revoked_at text
     )`,
    `create unique index api_keys_in_force on ${schema}api_keys (name) where revoked_at is null`,
    `create table ${schema}audit (
       sequence ${numbered} primary key,
       at text not null,
       request_id text,
       by text not null,
       tenant_id text,
       action text not null,
       name text,
       id text,
       outcome text not null
     )`,
    `create index audit_by_time on ${schema}audit (at)`,
  ]
  return {
    '1': {
      async up(database) {
        for (const text of tables) await sql.raw(text).execute(database)
      },
    },
  }
}
