import { sql, type Transaction } from 'kysely'
import type { EnvironmentMode } from '@contract/app/environment'
import type { DeploymentAnswer, KnownRepository, RepositoryAnswer } from '../api/schemas'
import { Refusal, StorageFailure } from '../base/failures'
import { archiveTable } from './archives'
import { type Database, inChunks, type Installation, type Place, prepareTables } from './database'
import {
  deploymentTable,
  documentsAt,
  hashOf,
  type NameHolder,
  type NewDeployment,
  stateRowOf,
  type Target,
  wholeDocument,
} from './deployments'
import { repositoryTable } from './repositories'
import { type PendingRevision, type RevisionTimes, revisionTable, type WholeRevision } from './revisions'
import type { AuditEntry, StoredKey, Tables } from './tables'
import { isThere } from './times'

/** A deployment that is about to change. It is locked meanwhile. */
export interface HeldDeployment {
  answer: DeploymentAnswer
  /** When it is gone, in milliseconds, if it is being deleted; otherwise null. */
  goneAt: number | null
  /** The revision to change; null if the deployment doesn't have it, or the change isn't about one. */
  revision: WholeRevision | null
  /** The revisions that are queued or rolling out, the oldest first. */
  pending: PendingRevision[]
  /** Whether the archive that the change names is there. True if it names none. */
  hasArchive: boolean
}

/** The new state of a deployment. */
interface Change {
  answer: DeploymentAnswer
  /** When the next of its revisions is deployed, in milliseconds; null if none will be. */
  readyAt: number | null
  /** When it is gone, in milliseconds; null if it stays. */
  goneAt: number | null
  /** Whether its tracing project goes with it, so that its name is free then. */
  freesName?: boolean
  /** The revision to add, which has the config of `answer`. */
  added?: RevisionTimes
  /** The revisions whose times change. */
  moved?: RevisionTimes[]
}

/** Decides on a change, and on the answer. What it throws prevents the change. */
export type Decide<Result> = (held: HeldDeployment) => { change: Change | null; result: Result }

/** What a change is about, besides its deployment. */
interface ChangeParts {
  /** The time of the change, in milliseconds. */
  now: number
  entry: AuditEntry
  /** The revision to change. */
  revisionId?: string
  /** The `source_tarball_path` of an archive of this service that the deployment uses from now on. */
  archivePath?: string | null
}

/** The content for an empty store. */
interface Content {
  repositories: RepositoryAnswer[]
  /** The names of tracing projects of deleted deployments. */
  leftovers: string[]
  /** The oldest first. */
  deployments: NewDeployment[]
}

/** The service's data. Each method rejects with a StorageFailure if the disk, the machine or the connection fails. */
export type Store = ReturnType<typeof storeOn>

/** How to open a store. */
export interface Opening {
  /** The required mode, which a new one gets; null to accept any, and to create nothing. */
  mode: EnvironmentMode | null
  /** Whether a service opens it, which keeps other services out of a folder. */
  isService: boolean
  /** The tenant of a new one; a new tenant by default. */
  tenantId?: string
}

/** @throws {Refusal} if the data can't be used, or belongs to another mode or version */
export async function openStore(place: Place, { isService, ...opening }: Opening): Promise<Store> {
  if ('folder' in place) {
    const { databaseIn, openSqlite, refusalOf, requireDatabase } = await import('./sqlite')
    if (opening.mode === null) requireDatabase(place.folder)
    const { database, kysely } = openSqlite(place.folder, isService)
    try {
      return storeOn(
        database,
        await prepareTables(kysely, { ...opening, isPostgres: false, place: databaseIn(place.folder) }),
      )
    } catch (error) {
      await database.close()
      throw refusalOf(error, place.folder)
    }
  }
  // A service with a folder, such as a sandbox, doesn't need the driver.
  const { openPostgres, refusalOf } = await import('./postgres')
  const { database, kysely, address } = openPostgres(place.connectionString, place.connections)
  try {
    const where = `The database at ${address}`
    const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(kysely)
    const [{ server_encoding: encoding }] = rows as [{ server_encoding: string }]
    // Only UTF-8 has every character that a client may send.
    if (encoding !== 'UTF8') {
      throw new Refusal(
        `${where} has the encoding ${encoding}. Create one with the encoding UTF8: ` +
          'createdb --encoding=UTF8 --template=template0 NAME',
      )
    }
    return storeOn(database, await prepareTables(kysely, { ...opening, isPostgres: true, place: where }))
  } catch (error) {
    await database.close()
    throw refusalOf(error, address)
  }
}

function storeOn(database: Database, { tenantId, ticketKey }: Installation) {
  const { read, isPostgres } = database
  const deployments = deploymentTable(database)
  const revisions = revisionTable(database)
  const repositories = repositoryTable(database, tenantId)
  const archives = archiveTable({ ...database, write })
  let canWrite = true
  /** The ends of the provisionings that this instance began, and how many are over. */
  let ends: number[] = []
  let provisioned = 0

  /** Runs `work` so that all of its writes last, or none. Notes whether that failed. */
  async function write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    try {
      return await database.write(work)
    } catch (error) {
      if (error instanceof StorageFailure) canWrite = false
      throw error
    }
  }

  async function append(transaction: Transaction<Tables>, entries: readonly AuditEntry[]): Promise<void> {
    await transaction
      .insertInto('audit')
      .values([...entries])
      .execute()
  }

  /** Waits until no other instance holds the installation, and holds it until the end of the transaction. */
  async function holdInstallation(transaction: Transaction<Tables>): Promise<void> {
    if (isPostgres) await transaction.selectFrom('installation').select('mode').forUpdate().execute()
  }

  return {
    tenantId,
    ticketKey,
    deployments,
    revisions,
    archives,
    repositories: {
      ...repositories,
      /** Replaces the repositories of the integrations that these belong to, and adds the entries. */
      replace: (listed: readonly KnownRepository[], entries: readonly AuditEntry[]): Promise<void> =>
        write(async (transaction) => {
          // Otherwise two imports of one integration would both insert.
          await holdInstallation(transaction)
          await repositories.replace(transaction, listed)
          await append(transaction, entries)
        }),
    },
    keys: {
      /** All keys, revoked ones included, the oldest first. */
      all: (): Promise<StoredKey[]> =>
        read((reader) => reader.selectFrom('api_keys').selectAll().orderBy('sequence').execute()),
      /** Adds a key with its entry. Changes nothing and gives false if a key that isn't revoked has its name. */
      add: (key: StoredKey, entry: AuditEntry): Promise<boolean> =>
        write(async (transaction) => {
          const { numInsertedOrUpdatedRows: added } = await transaction
            .insertInto('api_keys')
            .values(key)
            .onConflict((conflict) => conflict.column('name').where('revoked_at', 'is', null).doNothing())
            .executeTakeFirst()
          if (added === 1n) await append(transaction, [entry])
          return added === 1n
        }),
      /** Revokes the key with a name, and adds the entry. Gives false if there is none, or it is already revoked. */
      revoke: (name: string, entry: AuditEntry): Promise<boolean> =>
        write(async (transaction) => {
          const { numUpdatedRows } = await transaction
            .updateTable('api_keys')
            .set({ revoked_at: entry.at })
            .where('name', '=', name)
            .where('revoked_at', 'is', null)
            .executeTakeFirst()
          if (numUpdatedRows > 0n) await append(transaction, [entry])
          return numUpdatedRows > 0n
        }),
    },
    audit: {
      append: (entries: readonly AuditEntry[]): Promise<void> =>
        write((transaction) => append(transaction, entries)),
      /** Entries after a sequence, the oldest first. */
      read: (after: number, most: number): Promise<(AuditEntry & { sequence: number })[]> =>
        read((reader) =>
          reader
            .selectFrom('audit')
            .selectAll()
            .where('sequence', '>', after)
            .orderBy('sequence')
            .limit(most)
            .execute(),
        ),
    },
    /**
     * Creates a deployment with its revision, its tracing project and its entry, and settles once they are on disk. If
     * the tenant already uses the name, or has no such archive, writes nothing and says so.
     */
    async create(
      deployment: NewDeployment,
      entry: AuditEntry,
      archivePath: string | null = null,
    ): Promise<NameHolder | 'no archive'> {
      const { id, name, tenant_id } = deployment.answer
      const holder = await write(async (transaction) => {
        const archive = archivePath === null ? null : await archives.find(transaction, archivePath, tenant_id)
        if (archivePath !== null && archive === null) return 'no archive'
        const found = await deployments.takeName(transaction, tenant_id, name)
        if (found !== null) return found
        await deployments.insert(transaction, [deployment])
        if (archive !== null) await archives.use(transaction, archive, id)
        await append(transaction, [entry])
        return null
      })
      if (holder === null && deployment.readyAt !== null) ends.push(deployment.readyAt)
      return holder
    },
    /**
     * Changes a deployment, and settles once the change and its entry are on disk. Gives null, without calling `decide`,
     * if the tenant doesn't have the deployment. Adds no entry if nothing changes.
     */
    change: <Result>(
      target: Target,
      { now, entry, revisionId, archivePath = null }: ChangeParts,
      decide: Decide<Result>,
    ): Promise<Result | null> =>
      write(async (transaction) => {
        const ofTarget = transaction
          .selectFrom('deployments')
          .select(['sequence', 'id', 'gone_at'])
          .where('id', '=', target.id.toLowerCase())
          .where('tenant_id', '=', target.tenantId)
          .where(isThere(now))
        const locked = await (isPostgres ? ofTarget.forUpdate() : ofTarget).executeTakeFirst()
        if (locked === undefined) return null
        const { sequence, id, gone_at: goneAt } = locked
        // A statement that waits for a lock doesn't see the revisions that the previous holder made.
        const row = await documentsAt(transaction, now)
          .where('sequence', '=', sequence)
          .executeTakeFirstOrThrow()
        const archive =
          archivePath === null ? null : await archives.find(transaction, archivePath, target.tenantId)
        const { change, result } = decide({
          answer: JSON.parse(wholeDocument(row.document, row)) as DeploymentAnswer,
          goneAt,
          revision:
            revisionId === undefined ? null : await revisions.get(target, revisionId, now, transaction),
          pending: await revisions.pending(transaction, sequence, now),
          hasArchive: archivePath === null || archive !== null,
        })
        if (change === null) return result
        const { answer, readyAt, goneAt: gone, freesName, added, moved = [] } = change
        await transaction
          .updateTable('deployments')
          .set({
            ...stateRowOf(answer),
            ready_at: readyAt,
            gone_at: gone,
            ...(freesName ? { frees_name: 1 } : {}),
          })
          .where('sequence', '=', sequence)
          .execute()
        for (const times of moved) await revisions.move(transaction, sequence, times)
        if (added) await revisions.add(transaction, sequence, added, answer.source_revision_config, now)
        if (archive !== null) await archives.use(transaction, archive, id)
        await append(transaction, [entry])
        return result
      }),
    /** Fills an empty store. Leaves any other one unchanged, and gives false. */
    fill: (content: () => Content): Promise<boolean> =>
      write(async (transaction) => {
        await holdInstallation(transaction)
        const project = await transaction
          .selectFrom('tracing_projects')
          .select('name_hash')
          .limit(1)
          .executeTakeFirst()
        if (project !== undefined) return false
        const made = content()
        await repositories.replace(
          transaction,
          made.repositories.map((answer) => ({ answer, refs: null })),
        )
        const names = [...made.leftovers, ...made.deployments.map(({ answer }) => answer.name)]
        for (const some of inChunks(names)) {
          const projects = some.map((name) => ({ name_hash: hashOf(tenantId, name) }))
          await transaction.insertInto('tracing_projects').values(projects).execute()
        }
        await deployments.insert(transaction, made.deployments)
        return true
      }),
    /** Rejects with a StorageFailure unless the database can be read and, if the last write failed, written. */
    async check(): Promise<void> {
      database.requireRoom()
      await write(async (transaction) => {
        if (canWrite) await transaction.selectFrom('installation').select('mode').execute()
        else
          await transaction
            .updateTable('installation')
            .set({ mode: sql.ref('mode') })
            .execute()
      })
      canWrite = true
    },
    /** The work of this instance, and its connections. */
    work() {
      const now = Date.now()
      const left = ends.filter((end) => end > now)
      provisioned += ends.length - left.length
      ends = left
      return { provisioned, pools: database.pools() }
    },
    /** Removes what is no longer needed: deployments that were gone long ago, and entries that are a year old. */
    tidy: (): Promise<void> =>
      write(async (transaction) => {
        await deployments.removeGone(transaction)
        const yearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString()
        await transaction.deleteFrom('audit').where('at', '<', yearAgo).execute()
      }),
    close: (): Promise<void> => database.close(),
  }
}
