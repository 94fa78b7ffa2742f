import { createHash } from 'node:crypto'
import { foldName, splitIds, type ListFilters } from '@contract'
import type { DeploymentAnswer } from '../../api/schemas'
import type { AuditEntry } from '../../base/audit-entry'
import { uniqueName } from '../names'
import { firstRevisions } from '../first-revisions'
import { isDeployed as isRevisionDeployed, isPending } from '../revision-times'
import { type FoundDeployment, mostBytesAtOnce, type PageQuery, type StoredDeployment } from '../store'
import type { Statement } from './connection/servers'

/** A row of a page, or of the documents that were too large for it. */
export interface DeploymentRow {
  sequence: string
  bytes: number
  /** Its place on the page; missing if it isn't read with a page. */
  place?: string
  /** Null if it is too large to be read with the page. */
  document: string | null
  status: string
  updated_at: Date
  active_revision_id: string | null
}

/** How many deployments one write settles. */
const mostSettled = 500

const isDue = 'ready_at <= $1::timestamptz'
const newestFirst = 'order by created_at desc, sequence desc'

/** The time of `$1` in milliseconds. */
export const nowMs = '(extract(epoch from $1::timestamptz) * 1000)::bigint'

/** The SQL of a timestamp from milliseconds. */
const timeOf = (ms: string): string => `to_timestamp(${ms} / 1000.0)`

/** The SQL of a value of the revision that was deployed last at `$1`. */
const ofDeployed = (value: string): string =>
  `(select ${value} from slipway.revisions
    where deployment_sequence = deployments.sequence and ${isRevisionDeployed(nowMs)} order by number desc limit 1)`

/**
 * The members of a deployment whose provisioning has ended. Instances of the previous version don't write the ends of
 * revisions.
 */
const readyMembers = {
  status: `'READY'`,
  updated_at: `coalesce(${ofDeployed(timeOf('ends_at'))}, ready_at)`,
  active_revision_id: `coalesce(${ofDeployed('id')}, latest_revision_id)`,
}

/** The members that change when a provisioning ends, with their values at `$1`. */
const membersNow = Object.entries(readyMembers)
  .map(([name, value]) => `case when ${isDue} then ${value} else deployments.${name} end as ${name}`)
  .join(', ')

const isGone = 'gone_at <= $1::timestamptz'

/** Reads documents: the time, and the sequences of deployments. */
export const selectDocuments: Statement = {
  name: 'documents',
  text: `select sequence, octet_length(document) as bytes, document, ${membersNow}
         from slipway.deployments where sequence = any($2::bigint[]) ${newestFirst}`,
}

/**
 * Finds when the next provisioning ends, and when the first deployment was gone. Also reads the tenant of the
 * installation.
 */
export const selectNextDue: Statement = {
  name: 'next-due-of-tenant',
  text: `select (select tenant_id from slipway.installation) as tenant_id,
                (select min(ready_at) from slipway.deployments where ready_at is not null) as ready_at,
                (select min(gone_at) from slipway.deployments where gone_at is not null) as gone_at`,
}

/** Counts the provisionings that are running, or have ended without being written. */
export const countProvisioning: Statement = {
  name: 'count-provisioning',
  text: 'select count(*)::integer as count from slipway.deployments where ready_at is not null',
}

/** Moves ends that are too far ahead (`$2`) to a time (`$1`), and the revisions after them forward by as much. */
export const bringForward: Statement = {
  name: 'bring-forward',
  text: `with far as (
           select sequence from slipway.deployments where ready_at >= $2::timestamptz or gone_at >= $2::timestamptz
           for update skip locked
         ), ahead as (
           select deployment_sequence, min(ends_at) - ${nowMs} as ms from slipway.revisions
           where deployment_sequence in (select sequence from far) and ${isPending(nowMs)} group by deployment_sequence
         ), moved as (
           update slipway.revisions as revisions set starts_at = starts_at - ms, ends_at = ends_at - ms
           from ahead where revisions.deployment_sequence = ahead.deployment_sequence and ${isPending(nowMs)}
         )
         update slipway.deployments set
           ready_at = case when ready_at >= $2::timestamptz then $1::timestamptz else ready_at end,
           gone_at = case when gone_at >= $2::timestamptz then $1::timestamptz else gone_at end
         where sequence in (select sequence from far)`,
}

/**
 * Locks deployments whose provisioning has ended, and skips those that another instance is writing. If that instance
 * ends early, its locks end with its connection, and the next one to look finds the deployments.
 */
export const lockDue: Statement = {
  name: 'lock-due',
  text: `select sequence from slipway.deployments where ${isDue}
         order by ready_at limit ${mostSettled} for update skip locked`,
}

/**
 * Writes the ends of the provisionings of locked deployments. Parameters: the time, and their sequences. It is a
 * statement of its own, because one that locks rows sees the revisions from before the lock.
 */
export const settleDue: Statement = {
  name: 'settle-locked',
  text: `update slipway.deployments
         set ${Object.entries(readyMembers)
           .map(([name, value]) => `${name} = ${value}`)
           .join(', ')},
           ready_at = (select ${timeOf('min(ends_at)')} from slipway.revisions
                       where deployment_sequence = sequence and ${isPending(nowMs)})
         where sequence = any($2::bigint[])`,
}

/**
 * Removes deployments that were gone at a time, and gives a row for each. Skips those that another instance is
 * removing.
 */
export const removeGone: Statement = {
  name: 'remove-gone',
  text: `with gone as (
           select sequence from slipway.deployments where ${isGone}
           order by gone_at limit ${mostSettled} for update skip locked
         ), revisions as (
           delete from slipway.revisions where deployment_sequence in (select sequence from gone)
         ), tags as (
           delete from slipway.deployment_tags where deployment_sequence in (select sequence from gone)
         )
         delete from slipway.deployments where sequence in (select sequence from gone) returning sequence`,
}

/** Whether a deployment has a name: the time, and the name's hash. */
export const isDeployed: Statement = {
  name: 'is-deployed',
  text: `select exists (
           select from slipway.deployments where name_hash = $2 and not coalesce(${isGone}, false)
         ) as deployed`,
}

/**
 * Inserts deployments with their revisions, tags and tracing projects, unless their name is taken, and gives the
 * identifiers of the inserted ones. Names are always locked in the same order, so that two instances can't deadlock.
 */
export const insertDeployments: Statement = {
  name: 'insert-deployments',
  text: `
    with given as (
      select * from unnest(
        $1::uuid[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[],
        $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::uuid[], $13::uuid[], $14::text[],
        $15::text[], $16::text[], $17::text[], $18::uuid[], $19::text[], $20::text[], $21::uuid[]
      ) with ordinality as given (
        id, name_hash, name, search_name, status, remote_reconciled, image_version, deployment_type,
        created_at, updated_at, ready_at, latest_revision_id, active_revision_id, document,
        source_revision_config, tag_value_ids, revisions, tenant_id, request_id, noted_by, noted_tenant_id, place
      )
    ), firsts as (
      select distinct on (name_hash) * from given order by name_hash, place
    ), projects as (
      insert into slipway.tracing_projects (name_hash, name, created_at)
      select name_hash, name, created_at from firsts order by name_hash
      on conflict do nothing
      returning name_hash
    ), made as (
      insert into slipway.deployments (
        id, tenant_id, name_hash, search_name, status, remote_reconciled, image_version, deployment_type,
        created_at, updated_at, ready_at, latest_revision_id, active_revision_id, document
      )
      select id, tenant_id, name_hash, search_name, status, remote_reconciled, image_version, deployment_type,
             created_at, updated_at, ready_at, latest_revision_id, active_revision_id, document
      from firsts join projects using (name_hash) order by place
      returning sequence, id
    ), revisions as (
      insert into slipway.revisions (
        deployment_sequence, id, number, created_at, starts_at, ends_at, source_revision_config
      )
      select sequence, first.id, number, "createdAt", "startsAt", "endsAt", source_revision_config
      from made join given using (id), json_to_recordset(revisions::json) as first (
        id uuid, number integer, "createdAt" timestamptz, "startsAt" bigint, "endsAt" bigint
      )
    ), noted as (
      insert into slipway.audit (at, request_id, by, tenant_id, action, name, id, outcome)
      select created_at, request_id, noted_by, noted_tenant_id, 'create', name, id, 'done'
      from made join given using (id) where noted_by is not null
    ), tags as (
      insert into slipway.deployment_tags (deployment_sequence, tag_value_id)
      select sequence, tag::uuid
      from made join given using (id), unnest(string_to_array(tag_value_ids, ',')) as tag
    )
    select id from made`,
}

/** Whether a deployment belongs to the tenant `$3`; null for that of the installation. */
export const isOfTenant = 'deployments.tenant_id is not distinct from $3::uuid'

/** Locks a deployment against other changes. Parameters: the time, its identifier and its tenant. */
export const lockDeployment: Statement = {
  name: 'lock-deployment',
  text: `select sequence from slipway.deployments
         where id = $2::uuid and ${isOfTenant} and not coalesce(${isGone}, false) for update`,
}

/** Reads a locked deployment. Parameters: the time, and its sequence. */
export const selectLocked: Statement = {
  name: 'locked-deployment',
  text: `select sequence, octet_length(document) as bytes, document, gone_at, ${membersNow}
         from slipway.deployments where sequence = $2::bigint`,
}

/** Writes the new state of a deployment. */
export const rewriteDeployment: Statement = {
  name: 'rewrite-deployment',
  text: `update slipway.deployments
         set status = $2, updated_at = $3, ready_at = $4, gone_at = $5, latest_revision_id = $6,
             active_revision_id = $7, document = $8
         where sequence = $1`,
}

/** The hash of a name's unique form. */
export const hashOf = (name: string, tenantId: string | null): Buffer =>
  createHash('sha256').update(uniqueName(tenantId, name)).digest()

/** A deployment to insert. */
export interface NewDeployment {
  deployment: StoredDeployment
  /** Null for the tenant of the installation. */
  tenantId: string | null
  /** Null for a sample, which nobody created. */
  entry: AuditEntry | null
}

/** The parameters of `insertDeployments`: a list for each column. */
export function columnsOf(added: readonly NewDeployment[]): unknown[][] {
  const columns: ((deployment: StoredDeployment) => unknown)[] = [
    ({ answer }) => answer.id,
    ({ answer }) => answer.name,
    ({ answer }) => foldName(answer.name),
    ({ answer }) => answer.status,
    ({ answer }) => answer.source_config.listener_id !== null,
    ({ answer }) => answer.image_version,
    ({ answer }) => answer.source_config.deployment_type ?? null,
    ({ answer }) => answer.created_at,
    ({ answer }) => answer.updated_at,
    ({ readyAt }) => readyAt,
    ({ answer }) => answer.latest_revision_id,
    ({ answer }) => answer.active_revision_id,
    ({ answer }) => documentOf(answer),
    ({ answer }) => JSON.stringify(answer.source_revision_config),
    ({ tagValueIds }) => tagValueIds.join(','),
    (deployment) => JSON.stringify(firstRevisions(deployment)),
  ]
  const [ids, ...others] = columns.map((read) => added.map(({ deployment }) => read(deployment)))
  return [
    ids!,
    added.map(({ deployment, tenantId }) => hashOf(deployment.answer.name, tenantId)),
    ...others,
    added.map(({ tenantId }) => tenantId),
    added.map(({ entry }) => entry?.requestId ?? null),
    added.map(({ entry }) => entry?.by ?? null),
    added.map(({ entry }) => entry?.tenantId ?? null),
  ]
}

/** The text of a deployment's document. */
export function documentOf(answer: DeploymentAnswer): string {
  const { status: _status, updated_at: _updated, active_revision_id: _active, ...rest } = answer
  return JSON.stringify(rest)
}

/** A found deployment from a row. */
export function foundOf(row: DeploymentRow): FoundDeployment {
  return {
    sequence: Number(row.sequence),
    bytes: row.bytes,
    document: row.document === null ? null : wholeDocument(row.document, row),
    place: Number(row.place ?? 0),
  }
}

/** A stored document, completed with the members that are columns. */
function wholeDocument(document: string, row: DeploymentRow): string {
  const { status, updated_at, active_revision_id } = row
  return `${document.slice(0, -1)},${JSON.stringify({ updated_at, status, active_revision_id }).slice(1)}`
}

const pageNames = new Map<string, string>()

/**
 * The statement of a page at `now` (ISO 8601), and its parameters.
 *
 * @param tenantId null for the tenant of the installation
 */
export function pageStatement(
  { limit, offset, ...filters }: PageQuery,
  now: string,
  tenantId: string | null,
): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [now, Math.floor(mostBytesAtOnce / limit), limit, offset]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const ofTenant = tenantId === null ? 'tenant_id is null' : `tenant_id = ${parameter(tenantId)}::uuid`
  const where = [ofTenant, ...filterConditions(filters, parameter)].join(' and ')
  const text = `
    select sequence, octet_length(document) as bytes,
           case when octet_length(document) <= $2::integer then document end as document, place, ${membersNow}
    from (
      select sequence, row_number() over (${newestFirst}) as place
      from (select sequence, created_at from slipway.deployments where ${where} ${newestFirst}
            limit $3::bigint + (select count(*) from slipway.deployments where ${isGone}) offset $4::bigint) as reached
    ) as page join slipway.deployments using (sequence)
    where not coalesce(${isGone}, false) ${newestFirst} limit $3::bigint`
  const name = pageNames.get(text) ?? `page-${pageNames.size}`
  pageNames.set(text, name)
  return { statement: { name, text }, values }
}

/**
 * The SQL conditions of filters.
 *
 * @param parameter adds a parameter, and gives its placeholder
 */
function filterConditions(filters: ListFilters, parameter: (value: unknown) => string): string[] {
  const conditions: string[] = []
  const { name_contains, status, remote_reconciled, image_version, deployment_type } = filters
  const addText = (text: string | null | undefined, condition: (place: string) => string): void => {
    if (!text) return
    // No stored text contains this character, and PostgreSQL refuses texts that do.
    conditions.push(text.includes('\0') ? 'false' : condition(`${parameter(text)}::text`))
  }
  const addIds = (texts: string | null | undefined, condition: (place: string) => string): void => {
    const ids = splitIds(texts)
    if (ids.length > 0) conditions.push(condition(`${parameter(ids)}::uuid[]`))
  }
  addText(name_contains && foldName(name_contains), (place) => `strpos(search_name, ${place}) > 0`)
  // A deployment whose provisioning is due counts as READY.
  const due = `coalesce(${isDue}, false)`
  addText(status, (place) =>
    status === 'READY' ? `(status = ${place} or ${due})` : `(status = ${place} and not ${due})`,
  )
  if (typeof remote_reconciled === 'boolean') {
    conditions.push(`remote_reconciled = ${parameter(remote_reconciled)}::boolean`)
  }
  addText(image_version, (place) => `image_version = ${place}`)
  addText(deployment_type, (place) => `deployment_type = ${place}`)
  addIds(filters.deployment_ids, (place) => `id = any(${place})`)
  addIds(
    filters.tag_value_ids,
    (place) =>
      `exists (select from slipway.deployment_tags
               where deployment_sequence = sequence and tag_value_id = any(${place}))`,
  )
  return conditions
}
