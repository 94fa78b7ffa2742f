import type { PoolClient } from 'pg'
import type { KnownRepository } from '../../api/known-repository'
import type { EnvironmentMode } from '@contract/core/mode'
import type { Log } from '../../base/log'
import { StorageFailure } from '../../base/storage-failure'
import { earlierDue, placesUntil } from '../deletion'
import {
  completed,
  type ConfigRow,
  type FoundRevisionRow,
  foundRevisionOf,
  type RevisionRow,
  revisionOf,
} from '../revision-rows'
import { nothingKnown, type ReferenceRow, referredOf } from '../references'
import { settleInBackground, tooFarAhead } from '../settling'
import { type Content, mostBytesAtOnce, type NameHolder, type Store } from '../store'
import { readAddresses } from './connection/addresses'
import { type AuditRow, entryColumns, entryOf, insertEntries, removeOldEntries, selectEntries } from './audit'
import { inBatches } from './batches'
import {
  bringForward,
  columnsOf,
  countProvisioning,
  type DeploymentRow,
  foundOf,
  hashOf,
  insertDeployments,
  isDeployed,
  lockDue,
  type NewDeployment,
  pageStatement,
  removeGone,
  selectDocuments,
  selectNextDue,
  settleDue,
} from './deployments'
import { changeDeployment } from './changes'
import { entryValues, insertKey, keyOf, type KeyRow, keyValues, revokeKey, selectKeys } from './keys'
import { holdLock, longTimeout, prepare } from './connection/prepare'
import { selectConfigs, selectRevision, selectRevisions } from './revisions'
import { sequencerByKey } from './sequencer-by-key'
import { connectTo, promptMs, type Servers, type Statement } from './connection/servers'

/** How many creations one statement has at most. */
const mostAtOnce = 50

/** How many deployments of a sample one statement has. */
const mostFilled = 1_000

/** How often an instance looks for provisionings that others left unfinished, in milliseconds. */
const lookMs = 2_000

/** How long a change waits for earlier ones of the same deployment, in milliseconds. */
const turnMs = 5_000

const selectTenantId: Statement = { name: 'tenant', text: 'select tenant_id from slipway.installation' }

const askPrimary: Statement = { name: 'ask-primary', text: 'select', query_timeout: promptMs }

const rewriteInstallation: Statement = {
  name: 'rewrite-installation',
  text: 'update slipway.installation set mode = mode',
  query_timeout: promptMs,
}

const selectRepositories: Statement = {
  name: 'repositories',
  text: 'select document from slipway.repositories where integration_id = $1 order by id',
}

const selectReference: Statement = {
  name: 'reference',
  text: `
    select exists (select from slipway.repositories where integration_id = $1) as has_integration,
           found.id is not null as has_repository, found.refs is not null as has_refs,
           (select found.refs ->> name from unnest($3::text[]) with ordinality as names (name, place)
            where found.refs ->> name is not null order by place limit 1) as commit_sha
    from (select) as one left join slipway.repositories as found
      on found.integration_id = $1 and found.document::json ->> 'url' = $2
    order by found.id limit 1`,
}

/**
 * Opens the database of a connection string, and brings its schema up to date. The store writes the ends of
 * provisionings in the background, including those of instances that have ended.
 *
 * @param connections to each server, at most
 * @param mode the required mode; null to accept any
 * @throws {Refusal} if the database can't be used
 */
export async function openPostgres(
  connectionString: string,
  connections: number,
  mode: EnvironmentMode | null,
  log: Log,
): Promise<Store> {
  const addresses = readAddresses(connectionString)
  const servers = connectTo(addresses, connections)
  try {
    await prepare(servers, addresses.map(({ label }) => label).join(', '), mode)
    return createPostgresStore(servers, await readTenantId(servers), log)
  } catch (error) {
    await servers.end()
    throw error
  }
}

async function readTenantId(servers: Servers): Promise<string> {
  const [row] = await servers.read<{ tenant_id: string }>(selectTenantId, [])
  return row!.tenant_id
}

function createPostgresStore(servers: Servers, firstTenantId: string, log: Log): Store {
  let tenantId = firstTenantId
  let canWrite = true
  let provisioned = 0

  /** Notes whether a write failed. */
  async function noting<T>(written: Promise<T>): Promise<T> {
    try {
      return await written
    } catch (error) {
      if (error instanceof StorageFailure) canWrite = false
      throw error
    }
  }

  const write = <Row>(statement: Statement, values: unknown[]): Promise<Row[]> =>
    noting(servers.write<Row>(statement, values))

  /** Inserts deployments, and says for each whether it was inserted. */
  async function insertAll(deployments: readonly NewDeployment[]): Promise<boolean[]> {
    const rows = await write<{ id: string }>(insertDeployments, columnsOf(deployments))
    const made = new Set(rows.map(({ id }) => id))
    return deployments.map(({ deployment }) => made.has(deployment.answer.id))
  }

  /** A tenant as rows store it. */
  const owner = (id: string): string | null => (id === tenantId ? null : id)

  const insert = inBatches(insertAll, (error) => error instanceof StorageFailure, mostAtOnce)
  // Otherwise repeated changes of one deployment would take all connections, each waiting for the lock.
  const inOrder = sequencerByKey(turnMs)
  const settling = settleInBackground(
    {
      async nextDue() {
        const [row] = await servers.read<{
          tenant_id: string
          ready_at: Date | null
          gone_at: Date | null
        }>(selectNextDue, [])
        // Another instance may have filled the database meanwhile.
        if (row !== undefined) tenantId = row.tenant_id
        const iso = (time?: Date | null): string | null => time?.toISOString() ?? null
        return earlierDue({ ready_at: iso(row?.ready_at), gone_at: iso(row?.gone_at) })
      },
      async settleDue(now) {
        await write(bringForward, [now, tooFarAhead(now)])
        const written = await noting(servers.transaction((client) => settle(client, now)))
        provisioned += written
        return written + (await write(removeGone, [placesUntil(now)])).length
      },
    },
    (error) => {
      const reason = error instanceof StorageFailure ? error.message : error
      log.problem("Ends of provisionings can't be written yet.", reason)
    },
    lookMs,
  )

  return {
    get tenantId() {
      return tenantId
    },
    deployments: {
      async find(query, now) {
        const { statement, values } = pageStatement(query, now, owner(query.tenantId))
        return (await servers.read<DeploymentRow>(statement, values)).map(foundOf)
      },
      async documents(found, now) {
        const sequences = found.map(({ sequence }) => sequence)
        const rows = await servers.read<DeploymentRow>(selectDocuments, [now, sequences])
        return rows.map((row) => foundOf(row).document!)
      },
    },
    revisions: {
      async find({ id, tenantId: tenant }, { statuses, limit, offset }, now) {
        const most = Math.floor(mostBytesAtOnce / limit)
        const values = [now, id, owner(tenant), statuses, limit, offset, most]
        return (await servers.read<FoundRevisionRow>(selectRevisions, values)).map(foundRevisionOf)
      },
      async complete(found) {
        const [first] = found
        if (first === undefined) return []
        const values = [first.sequence, found.map(({ id }) => id)]
        return completed(found, await servers.read<ConfigRow>(selectConfigs, values))
      },
      async get({ id, tenantId: tenant }, revisionId, now) {
        const values = [now, id, owner(tenant), revisionId]
        const [row] = await servers.read<RevisionRow>(selectRevision, values)
        return row === undefined ? null : revisionOf(row)
      },
    },
    repositories: {
      async ofIntegration(integrationId, tenant) {
        // Integrations belong to the installation.
        if (owner(tenant) !== null) return []
        const rows = await servers.read<{ document: string }>(selectRepositories, [integrationId])
        return rows.map(({ document }) => document)
      },
      async find({ integrationId, url, refNames }, tenant) {
        if (owner(tenant) !== null) return nothingKnown
        const [row] = await servers.read<ReferenceRow>(selectReference, [integrationId, url, refNames])
        return referredOf(row!)
      },
      replace: (repositories, entries) =>
        servers.transaction(async (client) => {
          // Otherwise two imports of one integration would both insert, because neither sees the other's rows.
          await holdLock(client)
          await replaceRepositories(repositories, (text, values) => client.query(text, values))
          await client.query(insertEntries.text, entryColumns(entries))
        }),
    },
    keys: {
      all: async () => (await servers.read<KeyRow>(selectKeys, [])).map(keyOf),
      add: async (key, entry) => (await write(insertKey, keyValues(key, entry))).length > 0,
      revoke: async (_name, entry) => (await write(revokeKey, entryValues(entry))).length > 0,
    },
    audit: {
      append: async (entries) => void (await write(insertEntries, entryColumns(entries))),
      read: async (after, most) => (await servers.read<AuditRow>(selectEntries, [after, most])).map(entryOf),
      async prune() {
        let goesOn = true
        while (goesOn) goesOn = (await write(removeOldEntries, [])).length > 0
      },
    },
    async create(deployment, entry) {
      const { answer, readyAt } = deployment
      const tenant = owner(answer.tenant_id)
      if (await insert({ deployment, tenantId: tenant, entry })) {
        if (readyAt !== null) settling.plan(readyAt)
        return null
      }
      // From the primary: a standby may not have it yet.
      const [row] = await write<{ deployed: boolean }>(isDeployed, [
        new Date().toISOString(),
        hashOf(answer.name, tenant),
      ])
      return (row?.deployed ? 'deployment' : 'tracing project') satisfies NameHolder
    },
    async change({ id, tenantId: tenant }, revisionId, now, decide, entry) {
      const made = await noting(
        inOrder(id.toLowerCase(), () =>
          servers.transaction((client) =>
            changeDeployment(client, [now, id, owner(tenant)], revisionId, decide, entry),
          ),
        ),
      )
      if (made === null) return null
      const due = earlierDue({ ready_at: made.change?.readyAt ?? null, gone_at: made.change?.goneAt ?? null })
      if (due !== null) settling.plan(due)
      return made.result
    },
    async fill(content) {
      const isFilled = await servers.transaction(async (client) => {
        await holdLock(client)
        const { rows } = await client.query('select from slipway.tracing_projects limit 1')
        if (rows.length > 0) return false
        await fill(content(), (text, values) => client.query({ text, values, ...longTimeout }))
        return true
      })
      tenantId = await readTenantId(servers)
      return isFilled
    },
    async check() {
      await write(canWrite ? askPrimary : rewriteInstallation, [])
      canWrite = true
    },
    async provisioning() {
      const [row] = await servers.read<{ count: number }>(countProvisioning, [])
      return row!.count
    },
    work: () => ({ provisioned, pools: servers.use() }),
    async close() {
      settling.stop()
      await servers.end()
    },
  }
}

/** Writes the ends of some provisionings that are due at `now` (ISO 8601), and gives their number. */
async function settle(client: PoolClient, now: string): Promise<number> {
  const { rows } = await client.query<{ sequence: string }>({ ...lockDue, values: [now] })
  if (rows.length > 0) {
    await client.query({ ...settleDue, values: [now, rows.map(({ sequence }) => sequence)] })
  }
  return rows.length
}

/** Replaces the repositories of integrations. */
async function replaceRepositories(
  repositories: readonly KnownRepository[],
  run: (text: string, values: unknown[]) => Promise<unknown>,
): Promise<void> {
  const integrations = repositories.map(({ answer }) => answer.host_integration_id)
  await run('delete from slipway.repositories where integration_id = any($1::uuid[])', [integrations])
  await run(
    `insert into slipway.repositories (integration_id, id, document, refs)
     select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::jsonb[])`,
    [
      integrations,
      repositories.map(({ answer }) => answer.id),
      repositories.map(({ answer }) => JSON.stringify(answer)),
      repositories.map(({ refs }) => refs && JSON.stringify(refs)),
    ],
  )
}

async function fill(
  { tenantId, repositories, leftovers, deployments }: Content,
  run: (text: string, values: unknown[]) => Promise<unknown>,
): Promise<void> {
  await run('update slipway.installation set tenant_id = $1', [tenantId])
  await replaceRepositories(
    repositories.map((answer) => ({ answer, refs: null })),
    run,
  )
  await run(
    `insert into slipway.tracing_projects (name_hash, name, created_at)
     select * from unnest($1::bytea[], $2::text[], $3::timestamptz[])`,
    [
      leftovers.map(({ name }) => hashOf(name, null)),
      leftovers.map(({ name }) => name),
      leftovers.map(({ createdAt }) => createdAt),
    ],
  )
  for (let start = 0; start < deployments.length; start += mostFilled) {
    const some = deployments.slice(start, start + mostFilled)
    const columns = columnsOf(some.map((deployment) => ({ deployment, tenantId: null, entry: null })))
    await run(insertDeployments.text, columns)
  }
}
