import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { serviceExit } from '../../../electron/contract/app/processes'
import { disposedServices } from '../../support/service/disposed-services'
import { runService, startService } from '../../support/service/service-process'
import { creation, post } from '../client'

const { folder, started } = disposedServices(startService)

describe.skipIf(process.platform === 'win32')('only its owner may read', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

  it('the database and its folder', async () => {
    const data = join(folder(), 'a', 'b')
    const service = await started({ data })
    await post(service.url, creation())
    for (const made of [data, join(data, '..')]) expect(modeOf(made)).toBe('700')
    const files = readdirSync(data)
    expect(files).toContain('deployments.sqlite-wal')
    for (const file of files) expect(modeOf(join(data, file))).toBe('600')
  })
})

it('stores no value of a secret on the disk', async () => {
  const value = 'a-value-that-must-not-be-found-4711'
  const service = await startService()
  try {
    const { status } = await post(
      service.url,
      creation('internal_source', { secrets: [{ name: 'A', value }] }),
    )
    expect(status).toBe(201)
    await service.kill()

    for (const file of readdirSync(service.data)) {
      expect(readFileSync(join(service.data, file)).includes(value)).toBe(false)
    }
  } finally {
    await service.dispose()
  }
})

/** Expects that the service refuses the content of a folder, says so, and leaves it unchanged. */
async function expectDamaged(data: string): Promise<void> {
  const before = readdirSync(data)
  const { code, stderr } = await runService(['--mode', 'cloud', '--data', data, '--port', '0'])
  expect(code).toBe(serviceExit.damaged)
  expect(stderr).toContain(
    'is not a database of this service, or is damaged. Use another folder with --data.',
  )
  expect(readdirSync(data)).toEqual(expect.arrayContaining(before))
}

describe('it refuses to start, with a status for the reason and what to do,', () => {
  it('on a folder that another service uses, without disturbing that one', async () => {
    const first = await started()
    const { code, stderr } = await runService(['--mode', 'cloud', '--data', first.data, '--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toContain('in use by another service')
    expect(stderr).toContain('PostgreSQL: see --database')
    expect((await post(first.url, creation())).status).toBe(201)
  })

  it("on another program's database", async () => {
    const data = folder()
    const other = new Database(join(data, 'deployments.sqlite'))
    other.exec('create table deployments (id text); pragma user_version = 1')
    other.close()
    await expectDamaged(data)
  })

  it('on a database in which a page was overwritten', async () => {
    const data = folder()
    await (await started({ data, sample: 250 })).stop()
    const path = join(data, 'deployments.sqlite')
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0x5a, 60 * 4096, 70 * 4096))
    await expectDamaged(data)
  })
})
