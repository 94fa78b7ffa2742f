import type { Kysely, Transaction } from 'kysely'
import type { Database } from './database'
import type { Target } from './deployments'
import type { Tables } from './tables'
import { isThere } from './times'

/** The identifiers of an archive and of what it was uploaded for, in lower case. */
export interface ArchivePlace {
  tenantId: string
  deploymentId: string
  archiveId: string
}

/** The prefix of a `source_tarball_path` that names an archive of this service. Other paths are elsewhere. */
const prefix = 'archives/'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const shape = new RegExp(`^${prefix}(${uuid})/(${uuid})\\.tar\\.gz$`)

/** An archive as a `source_tarball_path` names it. */
export function objectPathOf({ deploymentId, archiveId }: ArchivePlace): string {
  return `${prefix}${deploymentId}/${archiveId}.tar.gz`
}

/** The path of the archive of this service that a request names; null if it doesn't name one. */
export function namedArchive(
  config: { source_tarball_path?: string | null } | null | undefined,
): string | null {
  const path = config?.source_tarball_path
  return path?.startsWith(prefix) ? path : null
}

/** The statements about archives. An archive stays for as long as a deployment that uses it. */
export function archiveTable({ read, write, isPostgres }: Database) {
  /** The archives that no deployment uses at the moment. */
  const unused = (database: Kysely<Tables>) =>
    database
      .selectFrom('archives')
      .where((query) =>
        query.not(
          query.exists(
            query
              .selectFrom('archive_uses')
              .innerJoin('deployments', 'deployments.id', 'archive_uses.deployment_id')
              .select('deployments.id')
              .whereRef('archive_uses.archive_id', '=', 'archives.id')
              .where(isThere(Date.now())),
          ),
        ),
      )

  return {
    /** How many archives there are, and how many bytes they take. */
    taken: (): Promise<{ count: number; bytes: number }> =>
      read(async (database) => {
        const row = await database
          .selectFrom('archives')
          .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum('bytes').as('bytes')])
          .executeTakeFirstOrThrow()
        return { count: row.count, bytes: Number(row.bytes ?? 0) }
      }),

    /** Keeps an uploaded archive for its deployment, unless that is being deleted. `put` puts its file in place. */
    keep: (
      { tenantId, deploymentId, archiveId }: ArchivePlace,
      bytes: number,
      put: () => Promise<void>,
    ): Promise<'saved' | 'used already' | 'not wanted'> =>
      write(async (transaction) => {
        const wanted = await transaction
          .selectFrom('deployments')
          .select('sequence')
          .where('id', '=', deploymentId)
          .where('tenant_id', '=', tenantId)
          .where('gone_at', 'is', null)
          .executeTakeFirst()
        if (wanted === undefined) return 'not wanted'
        const kept = await transaction
          .insertInto('archives')
          .values({ id: archiveId, tenant_id: tenantId, deployment_id: deploymentId, bytes })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (kept.numInsertedOrUpdatedRows === 0n) return 'used already'
        await use(transaction, archiveId, deploymentId)
        await put()
        return 'saved'
      }),

    /** The archive of a tenant that a path names; null if there is none. */
    async find(transaction: Transaction<Tables>, path: string, tenantId: string): Promise<string | null> {
      const [, deploymentId, archiveId] = shape.exec(path) ?? []
      if (deploymentId === undefined || archiveId === undefined) return null
      const found = transaction
        .selectFrom('archives')
        .select('id')
        .where('id', '=', archiveId)
        .where('deployment_id', '=', deploymentId)
        .where('tenant_id', '=', tenantId)
      // Waits for another instance that is about to remove it, and keeps others from that.
      const row = await (isPostgres ? found.forKeyShare() : found).executeTakeFirst()
      return row?.id ?? null
    },

    use,

    /** Removes the archives that no deployment uses. `drop` removes the file of one. */
    async removeUnused(drop: (place: ArchivePlace) => Promise<void>): Promise<void> {
      const rows = await read((database) =>
        unused(database).select(['id', 'tenant_id', 'deployment_id']).execute(),
      )
      for (const { id, tenant_id, deployment_id } of rows) {
        await write(async (transaction) => {
          const removed = await transaction
            .deleteFrom('archives')
            .where('id', 'in', unused(transaction).select('archives.id').where('archives.id', '=', id))
            .executeTakeFirst()
          if (removed.numDeletedRows > 0n)
            await drop({ tenantId: tenant_id, deploymentId: deployment_id, archiveId: id })
        })
      }
    },
  }
}

/** Notes that a deployment uses an archive. */
async function use(
  transaction: Transaction<Tables>,
  archiveId: string,
  deploymentId: Target['id'],
): Promise<void> {
  await transaction
    .insertInto('archive_uses')
    .values({ archive_id: archiveId, deployment_id: deploymentId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
