import type { DeploymentSummary } from '@contract'
import type { CellDeployment } from '@contract/cache'
import type { CacheInput, CacheOutput } from '../../protocol'
import type Database from 'libsql'
import { fromKey, gonePrefix, isoMoment, prepareRows, toKey } from '../database'
import { type Condition, searchConditions } from '.'

type InputOf<Op extends 'agents' | 'assigned-agents'> = Omit<CacheInput<Op>, 'environmentId'>

/** A deployment in a cell, without its history. */
type Cell = Omit<CellDeployment, 'since'>

/** A deployment's row as it is stored. */
type CellRow = [seq: number, receivedAt: number, shown: string, agent: string, version: string]

/** Answers the board's queries: the agents, and their deployments. */
export function createAgentQuerier(db: Database.Database, indexedUpTo: () => number) {
  // The checksum shows whether a deployment is gone. So the table with `gone_at`, whose rows are far apart, isn't read.
  const rowsAt = prepareRows(
    db,
    'c.seq, c.received_at, t.shown, t.agent, t.version',
    `from copy as c join detail as t on t.seq = c.seq where c.seq in (select value from json_each(?))
     and c.hash not glob '${gonePrefix}*'`,
  )

  const matching = (search: string): Condition => {
    const conditions = searchConditions(search, indexedUpTo())
    const sql = conditions.length > 0 ? conditions.map((one) => one.sql).join(' and ') : '1'
    return { sql: `(${sql})`, values: conditions.flatMap(({ values }) => values) }
  }

  return {
    agents({ search, after, limit, only }: InputOf<'agents'>): CacheOutput<'agents'> {
      const matches = matching(search)
      const where: Condition[] = [{ sql: 'gone_at is null', values: [] }]
      if (after !== null) where.push({ sql: 'agent > ?', values: [after] })
      if (only) {
        where.push({ sql: 'agent in (select value from json_each(?))', values: [JSON.stringify(only)] })
      }
      const read = prepareRows(
        db,
        `agent, max(${matches.sql}), json_group_array(json_array(seq, version))`,
        `from deployment where ${where.map(({ sql }) => sql).join(' and ')}
         group by agent order by agent limit ?`,
      )
      return read(...matches.values, ...where.flatMap(({ values }) => values), limit)
    },

    assigned({ ids, search }: InputOf<'assigned-agents'>): CacheOutput<'assigned-agents'> {
      const matches = matching(search)
      const read = prepareRows(
        db,
        `(select id from copy where copy.seq = deployment.seq), seq, coalesce(version, ''), ${matches.sql}`,
        `from deployment where gone_at is null
         and seq in (select seq from copy where id in (select value from json_each(?)))`,
      )
      const rows = read<CacheOutput<'assigned-agents'>[number]>(
        ...matches.values,
        JSON.stringify(ids.map(toKey)),
      )
      return rows.map(([key, ...rest]) => [fromKey(key), ...rest])
    },

    /** The deployments at places. */
    cells: (places: readonly number[]): Cell[] =>
      rowsAt<CellRow>(JSON.stringify(places)).flatMap(([place, receivedAt, shown, agent, version]) => {
        const fetched_at = isoMoment(receivedAt)
        if (fetched_at === null) return []
        return [{ ...(JSON.parse(shown) as DeploymentSummary), place, agent, version, fetched_at }]
      }),
  }
}
