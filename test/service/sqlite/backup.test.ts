import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { inProject } from '../../../electron/launcher/base.mjs'
import { testOf } from '../../support/service/disposed-services'
import { canMount, onSmallDisk } from '../../support/service/small-disk'
import { run, type ServiceHere, startService } from '../../support/service/service-here'
import {
  runService,
  startService as startProcess,
  temporaryFolder,
} from '../../support/service/service-process'
import { create, creation, keepCreating, listAll, post } from '../../support/service/client'

// A backup of a folder's data, made while its service creates, and restored into another folder.

const it = testOf(startService)
const folder = temporaryFolder()
const inFolder = (name: string): string => join(folder, name)
let service: ServiceHere

beforeAll(async () => {
  service = await startService({ sample: 200, provisionMs: 100 })
})
afterAll(async () => {
  await service.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const backUp = (file: string) => run(['backup', '--data', service.data, '--to', file])
const restoreInto = (data: string, file: string) => run(['restore', '--data', data, '--from', file])

it('has everything that was created before, and the service keeps running meanwhile', async ({ started }) => {
  const file = inFolder('backup.sqlite')
  const before: string[] = []
  for (let index = 0; index < 5; index += 1) before.push((await create(service.url)).id)
  const creating = keepCreating(service.url)
  const { code, stderr } = await runService(['backup', '--data', service.data, '--to', file])
  await creating.stop()
  expect(code, stderr).toBe(0)
  const meanwhile = creating.accepted
  expect(meanwhile.length).toBeGreaterThan(0)
  // Only its owner may read it.
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(`${file}.sha256`, 'utf8')).toMatch(/^[0-9a-f]{64} {2}backup\.sqlite\n$/)

  const data = inFolder('restored')
  expect((await restoreInto(data, file)).code).toBe(0)
  const restored = await started({ data })
  const found = (await listAll(restored.url)).map(({ id }) => id)
  expect(before.filter((id) => !found.includes(id))).toEqual([])
  // The state at one moment: of the creations made meanwhile, it has the first ones.
  const taken = meanwhile.filter((id) => found.includes(id))
  expect(taken).toEqual(meanwhile.slice(0, taken.length))
  expect(found.length).toBe(200 + before.length + taken.length)
  expect((await post(restored.url, creation())).status).toBe(201)
  await restored.stop()
  const refused = await restoreInto(data, file)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('has a database')
  expect((await backUp(file)).stderr).toContain('exists')
})

it('can be restored into the folder of a killed service once nothing of its database is left there', async ({
  started,
}) => {
  const data = inFolder('killed')
  const file = inFolder('killed.sqlite')
  const first = await startProcess({ data, sample: 20 })
  await post(first.url, creation())
  expect((await run(['backup', '--data', data, '--to', file])).code).toBe(0)
  await post(first.url, creation())
  await first.kill()
  const left = readdirSync(data).filter((name) => name.startsWith('deployments.sqlite-'))
  expect(left).toContain('deployments.sqlite-wal')

  // The write-ahead log alone would be replayed into the restored database.
  const away = inFolder('away')
  mkdirSync(away)
  const moveAway = (name: string): void => renameSync(join(data, name), join(away, name))
  moveAway('deployments.sqlite')
  const refused = await restoreInto(data, file)
  expect(refused.code).toBe(1)
  for (const name of left) expect(refused.stderr).toContain(name)
  expect(existsSync(join(data, 'deployments.sqlite'))).toBe(false)

  left.forEach(moveAway)
  expect((await restoreInto(data, file)).code).toBe(0)
  const restored = await started({ data })
  expect(await listAll(restored.url)).toHaveLength(21)
})

it('is refused if it is damaged, and leaves nothing behind', async () => {
  const file = inFolder('sound.sqlite')
  expect((await backUp(file)).code).toBe(0)
  const damages: [string, (copy: string) => void][] = [
    // A letter in a text: the database itself wouldn't notice.
    [
      'changed',
      (copy) => {
        const bytes = readFileSync(copy)
        const at = bytes.lastIndexOf('"name":"') + '"name":"'.length
        bytes[at] = bytes[at] === 0x78 ? 0x79 : 0x78
        writeFileSync(copy, bytes)
      },
    ],
    ['short', (copy) => truncateSync(copy, Math.floor(statSync(copy).size / 2))],
    ['empty', (copy) => truncateSync(copy, 0)],
    ['else', (copy) => writeFileSync(copy, 'something else')],
  ]
  for (const [name, damage] of damages) {
    const copy = inFolder(`${name}.sqlite`)
    copyFileSync(file, copy)
    damage(copy)
    copyFileSync(`${file}.sha256`, `${copy}.sha256`)
    const data = inFolder(`from-${name}`)
    const { code, stderr } = await restoreInto(data, copy)
    expect(code, name).toBe(65)
    expect(stderr).toContain('is damaged')
    expect(existsSync(join(data, 'deployments.sqlite'))).toBe(false)
    // Without its checksum, an incomplete database is still refused.
    if (name === 'changed') continue
    rmSync(`${copy}.sha256`)
    expect((await restoreInto(data, copy)).code, name).toBe(65)
  }
  const copy = inFolder('unchecked.sqlite')
  copyFileSync(file, copy)
  const { code, stderr } = await restoreInto(inFolder('unchecked'), copy)
  expect(code).toBe(0)
  expect(stderr).toContain('only its structure was checked')
})

it.skipIf(process.platform === 'win32')('is restored readable and writable by its owner only', async () => {
  for (const mode of [0o444, 0o666]) {
    const file = inFolder(`mode-${mode}.sqlite`)
    expect((await backUp(file)).code).toBe(0)
    chmodSync(file, mode)
    const data = inFolder(`from-mode-${mode}`)
    expect((await restoreInto(data, file)).code).toBe(0)
    expect(statSync(join(data, 'deployments.sqlite')).mode & 0o777).toBe(0o600)
  }
})

it.each([
  ['a service that runs', () => restoreInto(service.data, inFolder('sound.sqlite')), 'in use'],
  ['a file that is missing', () => restoreInto(inFolder('none'), inFolder('missing')), 'ENOENT'],
  ['a place that is missing', () => backUp(inFolder('no/such/folder.sqlite')), 'Cannot write'],
  [
    'a folder without data',
    () => run(['backup', '--data', inFolder('nothing'), '--to', inFolder('x')]),
    'There is no database',
  ],
])('says what is wrong: %s', async (_what, attempt, reason) => {
  const { code, stderr } = await attempt()
  expect(code).toBe(1)
  expect(stderr).toContain(reason)
  expect(stderr).not.toMatch(/\n\s+at /)
})

it.runIf(canMount())('leaves nothing where the disk is full', async () => {
  const labels = { text: 'x'.repeat(900_000) }
  for (let index = 0; index < 2; index += 1) {
    await post(service.url, creation('internal_source', { source_config: { resource_spec: { labels } } }))
  }
  const disk = temporaryFolder()
  const [program, ...words] = [
    ...onSmallDisk({ folder: disk, megabytes: 1, ballast: 0 }),
    ...['sh', '-c', '"$@"; ls -A "$0"', disk, process.execPath, inProject('out/service/service.cjs')],
    ...['backup', '--data', service.data, '--to', join(disk, 'backup.sqlite')],
  ]
  const { stdout, stderr } = spawnSync(program!, words, { encoding: 'utf8' })
  rmSync(disk, { recursive: true })
  expect(stderr).toContain('disk is full')
  expect(stdout).toBe('ballast\n')
})
