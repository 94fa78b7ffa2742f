import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { expect } from 'vitest'
import { serviceExit } from '@contract/deployment-api/request/limits'
import { testOf } from '../../support/service/disposed-services'
import { databaseFile, run, startService } from '../../support/service/service-here'
import { startService as startProcess } from '../../support/service/service-process'
import { creation, post } from '../../support/service/client'

const it = testOf(startService)
const inProcess = testOf(startProcess)

inProcess(
  'its files have no value of a secret, and only its owner may read them',
  async ({ folder, started }) => {
    const value = 'a-value-that-must-not-be-found-4711'
    const data = join(folder(), 'a', 'b')
    const service = await started({ data })
    const request = creation('internal_source', { secrets: [{ name: 'A', value }] })
    expect((await post(service.url, request)).status).toBe(201)
    await service.kill()
    const files = readdirSync(data)
    expect(files).toContain('deployments.sqlite-wal')
    for (const file of files) expect(readFileSync(join(data, file)).includes(value)).toBe(false)
    if (process.platform === 'win32') return
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
    for (const made of [data, join(data, '..')]) expect(modeOf(made)).toBe('700')
    for (const file of files) expect(modeOf(join(data, file))).toBe('600')
  },
)

it('refuses a folder that another service uses, without disturbing that one', async ({ started }) => {
  const first = await started()
  const { code, stderr } = await run(['--mode', 'cloud', '--data', first.data])
  expect(code).toBe(1)
  expect(stderr).toContain('in use by another service')
  expect(stderr).toContain('PostgreSQL: see --database')
  expect((await post(first.url, creation())).status).toBe(201)
})

it("refuses another program's database, and a damaged one, and leaves them unchanged", async ({
  folder,
  started,
}) => {
  const [others, damaged] = [folder(), folder()]
  const other = new Database(databaseFile(others))
  other.exec('create table deployments (id text); pragma user_version = 1')
  other.close()
  await (await started({ data: damaged, sample: 250 })).stop()
  const bytes = readFileSync(databaseFile(damaged))
  writeFileSync(databaseFile(damaged), bytes.fill(0x5a, 60 * 4096, 70 * 4096))
  for (const data of [others, damaged]) {
    const before = readdirSync(data)
    const { code, stderr } = await run(['--mode', 'cloud', '--data', data])
    expect(code).toBe(serviceExit.damaged)
    expect(stderr).toContain(
      'is not a database of this service, or is damaged. Use another folder with --data.',
    )
    expect(readdirSync(data)).toEqual(expect.arrayContaining(before))
  }
})
