import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, expect, it } from 'vitest'
import { runCommand, runService, startService, temporaryFolder } from '../../support/service/service-process'
import { creation, post } from '../client'

const data = temporaryFolder()
afterAll(() => rmSync(data, { recursive: true, force: true }))

it('an entry of the audit log is never changed, and removed only after a year or after a million newer ones', async () => {
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

it('reports damage in the audit log, and refuses to back it up', async () => {
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

it('removes all entries that are too old at once, however many', async () => {
  const first = await startService({ data })
  await post(first.url, creation())
  await first.stop()
  const open = () => new Database(join(data, 'deployments.sqlite'), { timeout: 5_000 })
  const database = open()
  database.exec(
    `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 25000)
     insert into audit (sequence, at, by, action, outcome)
     select -number, '2020-01-01T00:00:00.000Z', 'somebody', 'create', 'done' from numbers`,
  )
  database.close()
  const service = await startService({ data })
  try {
    const count = (): unknown => {
      const reading = open()
      try {
        return reading.prepare('select count(*) as entries from audit').get()
      } finally {
        reading.close()
      }
    }
    await expect.poll(count, { timeout: 20_000 }).toMatchObject({ entries: 1 })
  } finally {
    await service.dispose()
  }
})
