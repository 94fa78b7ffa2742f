import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { databaseNameOf, ensureDatabase } from './postgres-server'

/** How many deployments the data of an ended service has, and how many rows belong to them. */
export interface StoredRows {
  deployments: number
  tracingProjects: number
  /** Deployments with a tracing project of their name. */
  withProject: number
  /** Deployments whose latest revision is there. */
  withRevision: number
}

/** Counts the rows in the data of an ended service. Throws if a file is damaged. */
export async function countRows(data: string): Promise<StoredRows> {
  const admin = process.env.SLIPWAY_TEST_POSTGRES
  return admin ? inPostgres(await ensureDatabase(admin, databaseNameOf(data))) : inSqlite(data)
}

function inSqlite(data: string): StoredRows {
  const database = new Database(join(data, 'deployments.sqlite'))
  try {
    const [integrity] = database.pragma('integrity_check') as { integrity_check: string }[]
    const broken = database.pragma('foreign_key_check') as unknown[]
    if (integrity?.integrity_check !== 'ok' || broken.length > 0) throw new Error('The database is damaged.')
    return database
      .prepare(
        `select (select count(*) from deployments) as deployments,
                (select count(*) from tracing_projects) as "tracingProjects",
                (select count(*) from deployments join tracing_projects using (name_hash)) as "withProject",
                (select count(*) from deployments join revisions on deployment_sequence = sequence
                 where latest_revision_id = revisions.id) as "withRevision"`,
      )
      .get() as StoredRows
  } finally {
    database.close()
  }
}

async function inPostgres(connectionString: string): Promise<StoredRows> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<StoredRows>(
      `select (select count(*) from slipway.deployments)::int as deployments,
              (select count(*) from slipway.tracing_projects)::int as "tracingProjects",
              (select count(*) from slipway.deployments
               join slipway.tracing_projects using (name_hash))::int as "withProject",
              (select count(*) from slipway.deployments join slipway.revisions
               on deployment_sequence = sequence and latest_revision_id = revisions.id)::int as "withRevision"`,
    )
    return rows[0]!
  } finally {
    await client.end()
  }
}
