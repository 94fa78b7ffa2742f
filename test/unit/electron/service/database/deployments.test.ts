import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { expect, it } from 'vitest'
import type { Database } from '../../../../../electron/service/database/database'
import { deploymentTable } from '../../../../../electron/service/database/deployments'
import type { Tables } from '../../../../../electron/service/database/tables'

it('one deployment is read with one statement', async () => {
  const statements: string[] = []
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  })
  const deployments = deploymentTable({ isPostgres: false, read: (work) => work(kysely) } as Database)
  expect(await deployments.get({ id: 'one', tenantId: 'a tenant' }, Date.now())).toBeNull()
  expect(statements).toHaveLength(1)
})
