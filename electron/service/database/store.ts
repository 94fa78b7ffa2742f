import { type DeploymentTable, deploymentTable } from './deployments'
import { groupCommit } from './group-commit'
import type { Connection } from './open'
import { type RepositoryTable, repositoryTable } from './repositories'

/** The service's data. */
export interface Store {
  /** The tenant of everything in this database. */
  readonly tenantId: string
  readonly deployments: DeploymentTable
  readonly repositories: RepositoryTable
  /** Runs `work` so that either all of its writes last or none does. An exception rolls them back. */
  transaction<T>(work: () => T): T
  /** Runs `write` in one transaction with concurrent writes. Settles once it is on disk. */
  commit<T>(write: () => T): Promise<T>
  /** Changes the tenant. Only for sample data, which must be the same every time. */
  setTenantId(tenantId: string): void
}

/** The store of an open database. */
export function createServiceStore(database: Connection): Store {
  const readTenantId = (): string =>
    (database.prepare('select tenant_id from installation').get() as { tenant_id: string }).tenant_id
  let tenantId = readTenantId()
  const transaction = <T>(work: () => T): T => database.transaction(work).immediate()
  return {
    get tenantId() {
      return tenantId
    },
    deployments: deploymentTable(database),
    repositories: repositoryTable(database),
    transaction,
    commit: groupCommit(transaction),
    setTenantId(id) {
      database.prepare('update installation set tenant_id = ?').run(id)
      tenantId = readTenantId()
    },
  }
}
