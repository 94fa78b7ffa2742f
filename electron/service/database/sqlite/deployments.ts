import { foldName, type ListFilters, splitIds } from '@contract'
import type { DeploymentAnswer } from '../../api/schemas'
import { earlierDue, placesUntil } from '../deletion'
import { tooFarAhead } from '../settling'
import { firstRevisions } from '../first-revisions'
import { isDeployed, isPending } from '../revision-times'
import { uniqueName } from '../names'
import {
  type Change,
  type FoundDeployment,
  mostBytesAtOnce,
  type NameHolder,
  type PageQuery,
  type StoredDeployment,
} from '../store'
import type { Connection } from './connection/open'
import { type RevisionTable, times } from './revisions'

type Parameters = Record<string, string | number | null>

/** Whether a provisioning has ended at `:now`. */
const isDue = 'ready_at <= :now'

/** The deployments that are gone at `:now`. */
const gone = 'select sequence from deployments where gone_at <= :now'

/** The deployments with an end that is too far ahead. */
const farAhead = 'select sequence from deployments where ready_at >= :far or gone_at >= :far'

/** The SQL of a value of the revision that was deployed last. */
const ofDeployed = (value: string): string =>
  `(select ${value} from revisions where deployment_sequence = deployments.sequence and ${isDeployed(':now_ms')}
    order by number desc limit 1)`

const isoOf = (ms: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`

/** The document of a deployment whose provisioning has ended. */
const readyDocument = `json_set(document,
           '$.status', 'READY',
           '$.updated_at', coalesce(${ofDeployed(isoOf('ends_at'))}, ready_at),
           '$.active_revision_id', coalesce(${ofDeployed('id')}, json_extract(document, '$.latest_revision_id')))`

/** How many deployments one write settles. Ten of the largest take a tenth of a second. */
const mostSettled = 10

const newestFirst = 'order by created_at desc, sequence desc'

/** Prepares the statements about deployments on an open database. */
export function deploymentTable(database: Connection, revisions: RevisionTable) {
  const insertProject = database.prepare<Parameters>(
    'insert into tracing_projects (name, created_at) values (:name, :created_at)',
  )
  const insertDeployment = database.prepare<Record<string, string | number | null>>(
    `insert into deployments (id, tenant_id, name, search_name, status, remote_reconciled, image_version,
                              deployment_type, created_at, ready_at, document)
     values (:id, :tenant_id, :name, :search_name, :status, :remote_reconciled, :image_version, :deployment_type,
             :created_at, :ready_at, :document)`,
  )
  const insertTag = database.prepare<[number, string]>(
    'insert into deployment_tags (deployment_sequence, tag_value_id) values (?, ?)',
  )
  const findName = database.prepare<Parameters>(
    `select exists (
       select 1 from deployments where name = tracing_projects.name and sequence not in (${gone})
     ) as deployed
     from tracing_projects where name = :name`,
  )
  const findNextDue = database.prepare<Parameters>(
    `select (select min(ready_at) from deployments where ready_at is not null) as ready_at,
            (select min(gone_at) from deployments where gone_at is not null) as gone_at,
            exists (${farAhead}) as is_far`,
  )
  const countProvisioning = database.prepare<[]>(
    'select count(*) as count from deployments where ready_at is not null',
  )
  const bringForward = [
    `update revisions set starts_at = starts_at - ahead, ends_at = ends_at - ahead
     from (select deployment_sequence as sequence, min(ends_at) - :now_ms as ahead from revisions
           where deployment_sequence in (${farAhead}) and ${isPending(':now_ms')} group by deployment_sequence)
     where deployment_sequence = sequence and ${isPending(':now_ms')}`,
    `update deployments set ready_at = iif(ready_at >= :far, :now, ready_at), gone_at = iif(gone_at >= :far, :now, gone_at)
     where sequence in (${farAhead})`,
  ].map((text) => database.prepare<Parameters>(text))
  const finishProvisioning = database.prepare<Parameters>(
    `update deployments set status = 'READY', document = ${readyDocument},
       ready_at = (select ${isoOf('min(ends_at)')} from revisions
                   where deployment_sequence = sequence and ${isPending(':now_ms')})
     where sequence in (select sequence from deployments where ${isDue} order by ready_at limit :most)`,
  )
  const old =
    'select sequence from deployments where gone_at <= :before order by gone_at, sequence limit :most'
  const removals = [
    `delete from revisions where deployment_sequence in (${old})`,
    `delete from deployment_tags where deployment_sequence in (${old})`,
    `delete from deployments where sequence in (${old})`,
  ].map((text) => database.prepare<Parameters>(text))
  const rewrite = database.prepare<Record<string, string | number | null>>(
    `update deployments set status = :status, ready_at = :ready_at, gone_at = :gone_at, document = :document
     where sequence = :sequence`,
  )
  const documentNow = `case when ${isDue} then ${readyDocument} else document end`
  const selectOne = database.prepare<Parameters>(
    `select sequence, gone_at, ${documentNow} as document from deployments
     where id = :id and tenant_id is :tenant and sequence not in (${gone})`,
  )
  const selectDocuments = database.prepare<Parameters>(
    `select ${documentNow} as document from deployments
     where sequence in (select value from json_each(:sequences)) ${newestFirst}`,
  )
  // The size is stored before the document, so it is read without it.
  const pageColumns = `octet_length(document) as bytes,
                       case when octet_length(document) <= :most then ${documentNow} end as document`
  // For most pages: no join, no sort. It doesn't apply while deleted deployments keep their places.
  const selectSimplePage = database.prepare<Parameters>(
    `select sequence, ${pageColumns} from deployments
     where tenant_id is :tenant and not exists (${gone}) ${newestFirst} limit :limit offset :offset`,
  )
  const pages = new Map<string, ReturnType<typeof preparePage>>()

  function preparePage(conditions: string[]) {
    const where = ['tenant_id is :tenant', ...conditions].join(' and ')
    // The inner select reads only an index.
    return database.prepare<Parameters>(
      `select sequence, place, ${pageColumns}
       from deployments join (
         select sequence, row_number() over (${newestFirst}) as place
         from (select sequence, created_at from deployments where ${where} ${newestFirst}
               limit :limit + (select count(*) from (${gone})) offset :offset)
       ) using (sequence)
       where sequence not in (${gone}) ${newestFirst} limit :limit`,
    )
  }

  return {
    /** What holds a name of a tenant, which is null for that of the installation. */
    nameHolder(name: string, tenantId: string | null): NameHolder {
      const row = findName.get({
        name: uniqueName(tenantId, name),
        now: new Date().toISOString(),
      }) as { deployed: number } | undefined
      if (row === undefined) return null
      return row.deployed === 1 ? 'deployment' : 'tracing project'
    },

    /**
     * Writes a deployment, its revision and its tracing project. Call it in a transaction.
     *
     * @param tenantId null for the tenant of the installation
     */
    insert({ answer, readyAt, tagValueIds }: StoredDeployment, tenantId: string | null): void {
      const { id, name, status, created_at, source_config, source_revision_config } = answer
      const unique = uniqueName(tenantId, name)
      insertProject.run({ name: unique, created_at })
      const inserted = insertDeployment.run({
        id,
        tenant_id: tenantId,
        name: unique,
        search_name: foldName(name),
        status,
        remote_reconciled: source_config.listener_id === null ? 0 : 1,
        image_version: answer.image_version,
        deployment_type: source_config.deployment_type ?? null,
        created_at,
        ready_at: readyAt,
        document: JSON.stringify(answer),
      })
      const sequence = Number(inserted.lastInsertRowid)
      for (const revision of firstRevisions({ answer, readyAt })) {
        revisions.insert(sequence, revision, source_revision_config)
      }
      for (const tagValueId of tagValueIds) insertTag.run(sequence, tagValueId)
    },

    /** When the next provisioning ends (ISO 8601), or has ended without being written; null if there is none. */
    nextDue(): string | null {
      const now = new Date().toISOString()
      const row = findNextDue.get({ far: tooFarAhead(now) }) as {
        ready_at: string | null
        gone_at: string | null
        is_far: number
      }
      return row.is_far === 1 ? now : earlierDue(row)
    },

    /** How many provisionings are running, or have ended without being written. */
    provisioning(): number {
      return (countProvisioning.get() as { count: number }).count
    },

    /** Moves ends that are too far ahead to `now` (ISO 8601), and the revisions after them forward by as much. */
    bringForward(now: string): void {
      for (const statement of bringForward) statement.run({ ...times(now), far: tooFarAhead(now) })
    },

    /**
     * Writes the ends of a few provisionings that are due at `now` (ISO 8601), and gives their number. The reads below
     * don't need that: a reader must not depend on a disk that may be full. They are faster once it is written.
     */
    settleDue(now: string): number {
      return finishProvisioning.run({ ...times(now), most: mostSettled }).changes
    },

    /** Removes a few deployments that no longer have a place in the list at `now` (ISO 8601). */
    removeGone(now: string): number {
      const removed = removals.map((remove) => remove.run({ before: placesUntil(now), most: mostSettled }))
      return removed.at(-1)!.changes
    },

    /** A deployment at `now` (ISO 8601), to be changed. Call it in a transaction. `tenant` is as for `find`. */
    get(
      id: string,
      tenant: string | null,
      now: string,
    ): { sequence: number; answer: DeploymentAnswer; goneAt: string | null } | null {
      const row = selectOne.get({ id: id.toLowerCase(), tenant, ...times(now) }) as
        { sequence: number; gone_at: string | null; document: string } | undefined
      if (row === undefined) return null
      const answer = JSON.parse(row.document) as DeploymentAnswer
      return { sequence: row.sequence, answer, goneAt: row.gone_at }
    },

    /** Writes the new state of a deployment. Call it in a transaction. */
    rewrite(sequence: number, { answer, readyAt, goneAt }: Change): void {
      const document = JSON.stringify(answer)
      rewrite.run({ sequence, status: answer.status, ready_at: readyAt, gone_at: goneAt, document })
    },

    /**
     * The deployments of a page at `now` (ISO 8601), the newest first.
     *
     * @param tenant null for that of the installation
     */
    find({ limit, offset, ...filters }: PageQuery, now: string, tenant: string | null): FoundDeployment[] {
      const { conditions, parameters } = filterConditions(filters)
      const page = { tenant, ...times(now), most: Math.floor(mostBytesAtOnce / limit), limit, offset }
      if (conditions.length === 0) {
        const found = selectSimplePage.all(page) as Omit<FoundDeployment, 'place'>[]
        if (found.length > 0) return found.map((each, index) => ({ ...each, place: index + 1 }))
      }
      const key = conditions.join()
      const statement = pages.get(key) ?? preparePage(conditions)
      pages.set(key, statement)
      return statement.all({ ...parameters, ...page }) as FoundDeployment[]
    },

    /** The documents (JSON texts) of deployments at `now` (ISO 8601), the newest first. */
    documents(found: readonly FoundDeployment[], now: string): string[] {
      const sequences = JSON.stringify(found.map(({ sequence }) => sequence))
      return (selectDocuments.all({ sequences, ...times(now) }) as { document: string }[]).map(
        (row) => row.document,
      )
    },

    /** Whether no deployment was ever created here. */
    isEmpty(): boolean {
      return database.prepare('select 1 from tracing_projects limit 1').get() === undefined
    },

    /** Reserves a name by a tracing project, like that of a deleted deployment. */
    insertTracingProject(name: string, createdAt: string): void {
      insertProject.run({ name, created_at: createdAt })
    },
  }
}

/** The SQL conditions of filters, and their parameters except `:now`. */
function filterConditions(filters: ListFilters): { conditions: string[]; parameters: Parameters } {
  const conditions: string[] = []
  const parameters: Parameters = {}
  const add = (condition: string, name: string, value: string | number): void => {
    conditions.push(condition)
    parameters[name] = value
  }
  const ids = (text: string): string => JSON.stringify(splitIds(text).map((id) => id.toLowerCase()))
  const { name_contains, status, remote_reconciled, image_version, deployment_type } = filters
  if (name_contains) add('instr(search_name, :name) > 0', 'name', foldName(name_contains))
  if (status) {
    // A deployment whose provisioning is due counts as READY.
    const due = `sequence in (select sequence from deployments where ${isDue})`
    const holds = 'status = :status'
    add(status === 'READY' ? `(${holds} or ${due})` : `(${holds} and not ${due})`, 'status', status)
  }
  if (typeof remote_reconciled === 'boolean') {
    add('remote_reconciled = :reconciled', 'reconciled', Number(remote_reconciled))
  }
  if (image_version) add('image_version = :version', 'version', image_version)
  if (deployment_type) add('deployment_type = :type', 'type', deployment_type)
  if (splitIds(filters.deployment_ids).length > 0) {
    add('id in (select value from json_each(:ids))', 'ids', ids(filters.deployment_ids!))
  }
  if (splitIds(filters.tag_value_ids).length > 0) {
    add(
      `exists (select 1 from deployment_tags where deployment_sequence = sequence
               and tag_value_id in (select value from json_each(:tags)))`,
      'tags',
      ids(filters.tag_value_ids!),
    )
  }
  return { conditions, parameters }
}
