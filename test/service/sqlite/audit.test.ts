import { join } from 'node:path'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { runCommand, runService, startService } from '../../support/service-process'
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

it('shows what is damaged in the audit, and backs up nothing of it', async () => {
  const service = await startService()
  try {
    const database = new Database(join(service.data, 'deployments.sqlite'), { timeout: 5_000 })
    database.exec(
      `insert into audit (at, by, action, name, outcome) values (strftime('%Y-%m-%dT%H:%M:%fZ'), 'a', 'create', cast(x'61ff62' as text), 'done')`,
    )
    database.close()
    await post(service.url, creation())
    const { code, stdout } = await runCommand(service.data, 'audit')
    expect(code).toBe(0)
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name)
    expect(names).toEqual(['a\ufffdb', expect.any(String)])
    const backup = await runService([
      'backup',
      '--data',
      service.data,
      '--to',
      join(service.data, 'backup.sqlite'),
    ])
    expect(backup.code).toBe(65)
    expect(backup.stderr).toContain('damaged')
  } finally {
    await service.dispose()
  }
})
