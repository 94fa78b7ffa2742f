import type { SourceRevisionConfigAnswer } from '../../api/schemas'
import type { FirstRevision } from '../first-revisions'
import { isPending, statusAt, statusSince } from '../revision-times'
import {
  completed,
  type ConfigRow,
  type FoundRevisionRow,
  foundRevisionOf,
  type PendingRow,
  pendingOf,
  type RevisionRow,
  revisionOf,
} from '../revision-rows'
import {
  type FoundRevision,
  mostBytesAtOnce,
  type NewRevision,
  type PendingRevision,
  type Revision,
  type RevisionQuery,
  type RevisionTimes,
} from '../store'
import type { Connection } from './connection/open'

/** The parameters of a time (ISO 8601). */
export const times = (now: string): { now: string; now_ms: number } => ({ now, now_ms: Date.parse(now) })

export type RevisionTable = ReturnType<typeof revisionTable>

/** Prepares the statements about revisions on an open database. */
export function revisionTable(database: Connection) {
  const insert = database.prepare<Record<string, string | number | null>>(
    `insert into revisions (deployment_sequence, id, number, created_at, starts_at, ends_at, source_revision_config)
     values (:sequence, :id, :number, :created_at, :starts_at, :ends_at, :config)`,
  )
  const findLast = database.prepare<[number]>(
    'select max(number) as number from revisions where deployment_sequence = ?',
  )
  const move = database.prepare<Record<string, string | number | null>>(
    `update revisions set starts_at = :starts_at, ends_at = :ends_at, interrupted_at = :interrupted_at
     where deployment_sequence = :sequence and id = :id`,
  )
  const columns = `revisions.id, created_at, starts_at, ends_at,
                   ${statusAt(':now_ms')} as status, ${statusSince(':now_ms')} as since`
  const ofDeployment = `deployment_sequence = :sequence`
  const select = database.prepare<Record<string, string | number>>(
    `select * from (
       select ${columns}, number, deployment_sequence as sequence, octet_length(source_revision_config) as bytes,
              case when octet_length(source_revision_config) <= :most then source_revision_config end as config
       from revisions where ${ofDeployment}
     )
     where :statuses = '[]' or status in (select value from json_each(:statuses))
     order by number desc limit :limit offset :offset`,
  )
  const selectConfigs = database.prepare<Record<string, string | number>>(
    `select id, source_revision_config as config from revisions
     where ${ofDeployment} and id in (select value from json_each(:ids))`,
  )
  const selectOne = database.prepare<Record<string, string | number>>(
    `select ${columns}, source_revision_config as config from revisions where ${ofDeployment} and id = :id`,
  )
  const selectPending = database.prepare<Record<string, string | number>>(
    `select id, starts_at, ends_at from revisions
     where ${ofDeployment} and ${isPending(':now_ms')} order by number`,
  )
  const timesOf = ({ id, startsAt, endsAt }: FirstRevision | RevisionTimes) => ({
    id,
    starts_at: startsAt,
    ends_at: endsAt,
  })

  return {
    /** Inserts a revision of a new deployment. Call it in a transaction. */
    insert(sequence: number, revision: FirstRevision, config: SourceRevisionConfigAnswer): void {
      const { number, createdAt } = revision
      insert.run({
        sequence,
        ...timesOf(revision),
        number,
        created_at: createdAt,
        config: JSON.stringify(config),
      })
    },

    /** Inserts the newest revision of a deployment, created at `now` (ISO 8601). Call it in a transaction. */
    add(sequence: number, revision: NewRevision, now: string): void {
      const { number } = findLast.get(sequence) as { number: number | null }
      const first = { ...revision, number: (number ?? 0) + 1, createdAt: now }
      this.insert(sequence, first, revision.config)
    },

    /** Changes the times of a deployment's revision. Call it in a transaction. */
    move(sequence: number, revision: RevisionTimes): void {
      move.run({ sequence, ...timesOf(revision), interrupted_at: revision.interruptedAt })
    },

    find(sequence: number, { statuses, limit, offset }: RevisionQuery, now: string): FoundRevision[] {
      const most = Math.floor(mostBytesAtOnce / limit)
      const parameters = { sequence, statuses: JSON.stringify(statuses), most, limit, offset }
      const rows = select.all({ ...parameters, now_ms: Date.parse(now) })
      return (rows as FoundRevisionRow[]).map(foundRevisionOf)
    },

    /** The revisions of a page of one deployment, with all configs. */
    complete(found: readonly FoundRevision[]): Revision[] {
      const [first] = found
      if (first === undefined) return []
      const ids = JSON.stringify(found.map(({ id }) => id))
      return completed(found, selectConfigs.all({ sequence: first.sequence, ids }) as ConfigRow[])
    },

    get(sequence: number, id: string, now: string): Revision | null {
      const row = selectOne.get({ sequence, id: id.toLowerCase(), now_ms: Date.parse(now) })
      return row === undefined ? null : revisionOf(row as RevisionRow)
    },

    /** The revisions of a deployment that are queued or rolling out, the oldest first. */
    pending(sequence: number, now: string): PendingRevision[] {
      const rows = selectPending.all({ sequence, now_ms: Date.parse(now) })
      return (rows as PendingRow[]).map(pendingOf)
    },
  }
}
