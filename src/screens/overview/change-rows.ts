import type { Environment } from '@contract'
import type { ChangedDeployment } from '@contract/cache'
import type { EnvironmentChangesRead } from '@/stores/changes'
import { sandboxesLast } from './sandboxes-last'

/** The changes of one deployment. */
export interface ChangeRow extends ChangedDeployment {
  /** Among those of all tables of the Overview. */
  key: string
  environment: Environment
  /** When it changed last (ISO 8601). */
  lastAt: string
}

/**
 * The changes in all environments, by deployment. The one that changed last comes first, and sample data comes after
 * all of the operator's own.
 */
export function changeRows(
  environments: readonly Environment[],
  changes: ReadonlyMap<string, EnvironmentChangesRead>,
): ChangeRow[] {
  const rows = environments.flatMap((environment) => {
    const content = changes.get(environment.id)?.content
    if (content?.state !== 'cached') return []
    return content.changes.deployments.flatMap((deployment): ChangeRow[] => {
      const lastAt = deployment.entries[0]?.seenAt
      const key = `changes ${environment.id} ${deployment.id}`
      return lastAt === undefined ? [] : [{ ...deployment, key, environment, lastAt }]
    })
  })
  rows.sort((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt))
  return sandboxesLast(rows, environments, ({ environment }) => environment.id)
}
