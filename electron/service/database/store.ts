import { StorageFailure } from '../base/storage-failure'
import { type DeploymentTable, deploymentTable } from './deployments'
import { withStorageFailures } from './failures'
import { groupCommit } from './group-commit'
import type { Connection } from './open'
import { type RepositoryTable, repositoryTable } from './repositories'
import { settleInBackground } from './settling'
import { inTransaction } from './transaction'

/** The service's data. */
export interface Store {
  /** The tenant of everything in this database. */
  readonly tenantId: string
  readonly deployments: DeploymentTable
  readonly repositories: RepositoryTable
  /**
   * Runs `work` so that either all of its writes last or none does. An exception rolls them back.
   *
   * @throws {StorageFailure} if the disk or the machine doesn't allow it
   */
  transaction<T>(work: () => T): T
  /** Runs `write` like `transaction`, together with concurrent writes. Settles once it is on disk. */
  commit<T>(write: () => T): Promise<T>
  /** Rejects with a StorageFailure unless the database can be read and, if the last write failed, written. */
  check(): Promise<void>
  /** Ends the work in the background. Call it before the database is closed. */
  stop(): void
  /** Changes the tenant. Only for sample data, which must be the same every time. */
  setTenantId(tenantId: string): void
}

/** The store of an open database. It writes in the background that provisionings have ended. */
export function createServiceStore(database: Connection): Store {
  const selectTenantId = database.prepare('select tenant_id from installation')
  const rewriteInstallation = database.prepare('update installation set mode = mode')
  const readTenantId = (): string => (selectTenantId.get() as { tenant_id: string }).tenant_id
  let tenantId = readTenantId()
  let canWrite = true

  function transaction<T>(work: () => T): T {
    try {
      return withStorageFailures(() => inTransaction(database, 'immediate', work))
    } catch (error) {
      if (error instanceof StorageFailure) canWrite = false
      throw error
    }
  }

  const commit = groupCommit(transaction)
  const deployments = deploymentTable(database)
  const settling = settleInBackground(deployments, commit, (error) => {
    const reason = error instanceof StorageFailure ? error.message : error
    console.error("Ends of provisionings can't be written yet.", reason)
  })
  return {
    get tenantId() {
      return tenantId
    },
    deployments,
    repositories: repositoryTable(database),
    transaction,
    async commit(write) {
      const result = await commit(write)
      settling.plan()
      return result
    },
    async check() {
      withStorageFailures(readTenantId)
      if (canWrite) return
      await commit(() => rewriteInstallation.run())
      canWrite = true
    },
    stop: () => settling.stop(),
    setTenantId(id) {
      database.prepare('update installation set tenant_id = ?').run(id)
      tenantId = readTenantId()
    },
  }
}
