import type { AuditEntry } from '../../base/audit-entry'
import type { Log } from '../../base/log'
import { StorageFailure } from '../../base/storage-failure'
import { earlierDue } from '../deletion'
import { settleInBackground } from '../settling'
import { nothingKnown } from '../references'
import type { NameHolder, Store } from '../store'
import { auditTable } from './audit'
import { deploymentTable } from './deployments'
import { withStorageFailures } from './failures'
import { groupCommit } from './group-commit'
import { keyTable } from './keys'
import { closeDatabase, type Connection, requireFolder } from './connection/open'
import { repositoryTable } from './repositories'
import { revisionTable } from './revisions'
import { requireSpace } from './connection/space'
import { inTransaction } from './connection/transaction'

/** The store of an open SQLite database. It writes the ends of provisionings in the background. */
export function createSqliteStore(database: Connection, log: Log): Store {
  const selectTenantId = database.prepare('select tenant_id from installation')
  const rewriteInstallation = database.prepare('update installation set mode = mode')
  const readTenantId = (): string => (selectTenantId.get() as { tenant_id: string }).tenant_id
  const revisions = revisionTable(database)
  const deployments = deploymentTable(database, revisions)
  const repositories = repositoryTable(database)
  const keys = keyTable(database)
  const audit = auditTable(database)
  const [{ file }] = database.pragma('database_list') as [{ file: string }]
  let tenantId = readTenantId()
  let canWrite = true
  let provisioned = 0

  /** Runs `work` so that all of its writes last, or none. An exception rolls them back. */
  function transaction<T>(work: () => T): T {
    try {
      requireFolder(database)
      return withStorageFailures(() => inTransaction(database, 'immediate', work))
    } catch (error) {
      if (error instanceof StorageFailure) canWrite = false
      throw error
    }
  }

  const commit = groupCommit(transaction)

  /** A tenant as rows store it. */
  const owner = (id: string): string | null => (id === tenantId ? null : id)

  /** Writes a change with its entry, unless the change can't be made. */
  function commitWith(entry: AuditEntry, write: () => boolean): Promise<boolean> {
    return commit(() => {
      const isDone = write()
      if (isDone) audit.insert(entry)
      return isDone
    })
  }

  const settling = settleInBackground(
    {
      nextDue: () => deployments.nextDue(),
      async settleDue(now) {
        const written = await commit(() => {
          deployments.bringForward(now)
          return deployments.settleDue(now)
        })
        provisioned += written
        return written + (await commit(() => deployments.removeGone(now)))
      },
    },
    (error) => {
      const reason = error instanceof StorageFailure ? error.message : error
      log.problem("Ends of provisionings can't be written yet.", reason)
    },
  )
  return {
    get tenantId() {
      return tenantId
    },
    deployments: {
      find: (query, now) => deployments.find(query, now, owner(query.tenantId)),
      documents: (found, now) => deployments.documents(found, now),
    },
    revisions: {
      find({ id, tenantId: tenant }, query, now) {
        const sequence = deployments.get(id, owner(tenant), now)?.sequence
        return sequence === undefined ? [] : revisions.find(sequence, query, now)
      },
      complete: (found) => revisions.complete(found),
      get({ id, tenantId: tenant }, revisionId, now) {
        const sequence = deployments.get(id, owner(tenant), now)?.sequence
        return sequence === undefined ? null : revisions.get(sequence, revisionId, now)
      },
    },
    repositories: {
      // Integrations belong to the installation.
      ofIntegration: (id, tenant) => (owner(tenant) === null ? repositories.ofIntegration(id) : []),
      find: (reference, tenant) => (owner(tenant) === null ? repositories.find(reference) : nothingKnown),
      replace: (listed, entries) =>
        commit(() => {
          for (const { answer } of listed) repositories.clear(answer.host_integration_id)
          for (const { answer, refs } of listed) repositories.insert(answer, refs)
          for (const entry of entries) audit.insert(entry)
        }),
    },
    keys: {
      all: () => withStorageFailures(() => keys.all()),
      add: (key, entry) => commitWith(entry, () => keys.insert(key)),
      revoke: (name, entry) => commitWith(entry, () => keys.revoke(name, entry.at)),
    },
    audit: {
      append: (entries) => commit(() => entries.forEach((entry) => audit.insert(entry))),
      read: (after, most) => withStorageFailures(() => audit.read(after, most)),
      async prune() {
        let goesOn = true
        while (goesOn) goesOn = await commit(() => audit.prune())
      },
    },
    async create(deployment, entry) {
      const { name, tenant_id } = deployment.answer
      const holder = await commit<NameHolder>(() => {
        const found = deployments.nameHolder(name, owner(tenant_id))
        if (found !== null) return found
        deployments.insert(deployment, owner(tenant_id))
        audit.insert(entry)
        return null
      })
      if (holder === null && deployment.readyAt !== null) settling.plan(deployment.readyAt)
      return holder
    },
    async change({ id, tenantId: tenant }, revisionId, now, decide, entry) {
      const made = await commit(() => {
        const found = deployments.get(id, owner(tenant), now)
        if (found === null) return null
        const { sequence, ...held } = found
        const revision = revisionId === null ? null : revisions.get(sequence, revisionId, now)
        const decided = decide({ ...held, revision, pending: revisions.pending(sequence, now) })
        const { change } = decided
        if (change === null) return decided
        deployments.rewrite(sequence, change)
        for (const times of change.moved ?? []) revisions.move(sequence, times)
        if (change.added) revisions.add(sequence, change.added, now)
        audit.insert(entry)
        return decided
      })
      if (made === null) return null
      const due = earlierDue({ ready_at: made.change?.readyAt ?? null, gone_at: made.change?.goneAt ?? null })
      if (due !== null) settling.plan(due)
      return made.result
    },
    fill(content) {
      if (!deployments.isEmpty()) return Promise.resolve(false)
      const { tenantId: id, leftovers, ...rest } = content()
      return commit(() => {
        database.prepare('update installation set tenant_id = ?').run(id)
        for (const { host_integration_id } of rest.repositories) repositories.clear(host_integration_id)
        for (const repository of rest.repositories) repositories.insert(repository, null)
        for (const { name, createdAt } of leftovers) deployments.insertTracingProject(name, createdAt)
        for (const deployment of rest.deployments) deployments.insert(deployment, null)
      }).then(() => {
        tenantId = readTenantId()
        return true
      })
    },
    async check() {
      withStorageFailures(readTenantId)
      requireFolder(database)
      requireSpace(file)
      if (canWrite) return
      await commit(() => rewriteInstallation.run())
      canWrite = true
    },
    provisioning: () => Promise.resolve().then(() => withStorageFailures(() => deployments.provisioning())),
    work: () => ({ provisioned, pools: [] }),
    close() {
      settling.stop()
      closeDatabase(database)
      return Promise.resolve()
    },
  }
}
