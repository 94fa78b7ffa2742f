import type { StatusCounts } from '@contract/cache'
import { maxStatuses } from '@contract/deployment-api/list'
import { deploymentStatuses } from '@contract/deployment-api/statuses'
import type Database from 'libsql'
import { prepareRows } from '../database/rows'

/** Counts the deployments of each status, without those that are gone. */
export type CountStatuses = () => Pick<StatusCounts, 'counts' | 'others'>

/**
 * Prepares the counting. Statuses are a service's texts: of those that the interface doesn't name, only the most
 * frequent ones are listed, so that the reply never has more than a screen shows.
 */
export function prepareStatuses(db: Database.Database): CountStatuses {
  const named = deploymentStatuses.map((status) => `'${status}'`).join(', ')
  const mostFrequent = prepareRows(
    db,
    'status, number, statuses, deployments',
    `from (select status, number, count(*) over () as statuses, sum(number) over () as deployments
           from (select status, count(*) as number from deployment where gone_at is null group by status)
           order by status in (${named}) desc, number desc, status limit ${maxStatuses})`,
  )
  return () => {
    const rows = mostFrequent<[status: string, number: number, statuses: number, deployments: number]>()
    const counts = rows.map(([status, count]) => ({ status, count }))
    const [, , statuses, deployments] = rows[0] ?? ['', 0, 0, 0]
    const listed = counts.reduce((sum, { count }) => sum + count, 0)
    return { counts, others: { statuses: statuses - counts.length, deployments: deployments - listed } }
  }
}
