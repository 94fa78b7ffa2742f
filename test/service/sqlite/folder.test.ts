import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { serviceExit } from '../../../electron/contract/app/service-exit'
import { disposedServices } from '../../support/service/disposed-services'
import { runCommand, runService, startService } from '../../support/service/service-process'
import { creation, list, post } from '../client'

const { folder, started } = disposedServices()

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

  it('a database that everyone could read before', async () => {
    const data = folder()
    const first = await started({ data })
    await post(first.url, creation())
    await first.kill()
    for (const file of readdirSync(data)) chmodSync(join(data, file), 0o644)
    await started({ data })
    for (const file of readdirSync(data)) expect(modeOf(join(data, file))).toBe('600')
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

describe('a removed lock', () => {
  const statusOf = async (url: string): Promise<number> => (await post(url, creation())).status

  it('is taken again before the next write', async () => {
    const { url, data } = await started()
    rmSync(join(data, 'service.lock'))
    expect(await statusOf(url)).toBe(201)
    const { code, stderr } = await runService(['--mode', 'cloud', '--data', data, '--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toContain('in use by another service')
  })

  it('that another service took keeps the first one from writing until that has ended', async () => {
    const service = await started()
    const { url, data } = service
    const other = new Database(join(data, 'other.lock'))
    other.exec('begin exclusive')
    renameSync(join(data, 'other.lock'), join(data, 'service.lock'))
    expect(await statusOf(url)).toBe(503)
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect(service.log()).toContain('service.lock was removed')
    expect((await list(url)).resources).toEqual([])
    other.close()
    expect(await statusOf(url)).toBe(201)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  })
})

it('a database that was replaced while the service runs gets no creation that would be lost', async () => {
  const service = await started()
  const { url, data } = service
  mkdirSync(join(data, 'moved'))
  for (const name of readdirSync(data).filter((one) => one !== 'moved')) {
    renameSync(join(data, name), join(data, 'moved', name))
  }
  expect((await post(url, creation())).status).toBe(503)
  expect((await fetch(`${url}/ready`)).status).toBe(503)
  expect(service.log()).toContain('was removed or replaced')
  expect((await list(url)).resources).toEqual([])
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

  it('on a file that is no database', async () => {
    const data = folder()
    writeFileSync(join(data, 'deployments.sqlite'), 'no database '.repeat(500))
    await expectDamaged(data)
  })

  it("on another program's database", async () => {
    const data = folder()
    const other = new Database(join(data, 'deployments.sqlite'))
    other.exec('create table deployments (id text); pragma user_version = 1')
    other.close()
    await expectDamaged(data)
  })

  it.each([
    ['a document that is no UTF-8', `update deployments set document = cast(x'7b22ff227d' as text)`],
    ['a document that is no JSON', `update deployments set document = '{' where sequence = 9`],
    // The index would refuse that.
    ['a repository that is no JSON', `drop index repositories_by_url; update repositories set document = ''`],
    [
      'a revision that is no UTF-8',
      `update revisions set source_revision_config = cast(x'7b22ff227d' as text)`,
    ],
    ['a revision that is no JSON', `update revisions set source_revision_config = '{' where number = 1`],
    [
      'a key that is no UTF-8',
      `insert into api_keys (id, name, hash, role, created_at) values ('a', cast(x'ff' as text), x'00', 'read', '')`,
    ],
    ['a mode that is no UTF-8', `update installation set mode = cast(x'e36c6f7564' as text)`],
    ['a mode that is none', `update installation set mode = 'cmoud'`],
    ['a tenant that is no UTF-8', `update installation set tenant_id = cast(x'ff' as text)`],
    ['a tenant that is none', `update installation set tenant_id = substr(tenant_id, 2)`],
  ])('on a database with %s', async (_what, change) => {
    const data = folder()
    await (await started({ data, sample: 20 })).stop()
    const database = new Database(join(data, 'deployments.sqlite'))
    database.exec(change)
    database.close()
    await expectDamaged(data)
  })

  it('or to run a command, on a key that is no UTF-8', async () => {
    const data = folder()
    await (await started({ data })).stop()
    const database = new Database(join(data, 'deployments.sqlite'))
    database.exec(
      `insert into api_keys (id, name, hash, role, created_at) values ('a', 'b', x'00', cast(x'ff' as text), '')`,
    )
    database.close()
    expect((await runCommand(data, 'keys', 'list')).code).toBe(serviceExit.damaged)
  })

  it('on a database in which a page was overwritten', async () => {
    const data = folder()
    await (await started({ data, sample: 250 })).stop()
    const path = join(data, 'deployments.sqlite')
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0x5a, 40 * 4096, 41 * 4096))
    await expectDamaged(data)
  })

  it('on a file where the folder should be', async () => {
    const data = join(folder(), 'file')
    writeFileSync(data, '')
    const { code, stderr } = await runService(['--mode', 'cloud', '--data', data, '--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toContain(data)
  })

  it.each(['deployments.sqlite', 'deployments.sqlite-wal'])(
    'on a folder where %s should be',
    async (name) => {
      const data = folder()
      if (name.endsWith('-wal')) await (await started({ data })).stop()
      rmSync(join(data, name), { force: true })
      mkdirSync(join(data, name))
      await expectDamaged(data)
    },
  )
})
