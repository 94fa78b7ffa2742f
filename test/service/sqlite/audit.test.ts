import { join } from 'node:path'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { startService } from '../../support/service-process'
import { creation, post } from '../client'

it('an entry of the audit is never changed, and removed only after a year or behind a million others', async () => {
  const service = await startService()
  try {
    await post(service.url, creation())
    const database = new Database(join(service.data, 'deployments.sqlite'), { timeout: 5_000 })
    for (const change of [`update audit set by = 'nobody'`, 'delete from audit']) {
      expect(() => database.exec(change)).toThrow('Entries of the audit')
    }
    const insert = database.prepare(
      `insert into audit (at, by, action, outcome) values (?, 'somebody', 'create', 'done')`,
    )
    insert.run(new Date(Date.now() - 366 * 86_400_000).toISOString())
    const old = `delete from audit where by = 'somebody'`
    expect(database.prepare(old).run().changes).toBe(1)
    database.close()
  } finally {
    await service.dispose()
  }
})
