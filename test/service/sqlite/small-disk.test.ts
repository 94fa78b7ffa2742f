import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type RunningService, startService, temporaryFolder } from '../../support/service/service-process'
import { creation, type ErrorBody, list, listAll, post, send } from '../client'

// A disk that is really full: a small one in memory, which an ordinary user may mount in a namespace of their own.

const inNamespace = ['unshare', '--user', '--map-root-user', '--mount']
const mount =
  'mount -t tmpfs -o size=32m tmpfs "$0" && head -c 14000000 /dev/zero > "$0/ballast" && exec "$@"'
const canMount = (): boolean => {
  const folder = temporaryFolder()
  const [program, ...args] = [...inNamespace, 'sh', '-c', mount, folder, 'true']
  const { status } = spawnSync(program, args)
  rmSync(folder, { recursive: true })
  return status === 0
}

let service: RunningService
let folder: string
afterEach(async () => {
  await service.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const creationOf = (bytes: number) =>
  creation('internal_source', {
    source_config: { resource_spec: { labels: { text: 'x'.repeat(bytes) } } },
  })

it.runIf(canMount())(
  'a full disk is told, reads go on, nothing accepted is lost, and space is enough to go on',
  async () => {
    folder = temporaryFolder()
    const data = join(folder, 'data')
    service = await startService({
      data,
      provisionMs: 500,
      within: [...inNamespace, 'sh', '-c', mount, folder],
    })
    const ready = () => send<ErrorBody>(`${service.url}/ready`)
    expect((await ready()).status).toBe(200)
    const accepted: string[] = []
    const create = async (bytes: number): Promise<number> => {
      const { status, body } = await post(service.url, creationOf(bytes))
      if (status === 201) accepted.push(body.id)
      return status
    }
    // Large ones fail first. Before the first does, the service says that it isn't ready for more.
    let isReady = 200
    let status = 201
    while (status === 201) {
      status = await create(900_000)
      if (status === 201) isReady = (await ready()).status
    }
    expect([status, isReady]).toEqual([507, 503])
    await create(100)
    const told = await ready()
    expect([told.status, told.body.detail]).toEqual([503, expect.stringContaining('disk is full')])

    const all = async () => (await listAll(service.url)).map(({ id }) => id)
    expect(await all()).toEqual([...accepted].reverse())
    await expect
      .poll(async () => (await list(service.url, { status: 'READY', limit: 1 })).resources.length)
      .toBe(1)

    // As an operator would, in the service's own view of the disk.
    rmSync(`/proc/${service.child.pid}/root${folder}/ballast`)
    await expect.poll(async () => (await ready()).status, { timeout: 20_000 }).toBe(200)
    expect(await create(900_000)).toBe(201)
    expect(await all()).toEqual([...accepted].reverse())
    await expect
      .poll(async () => (await list(service.url, { status: 'READY', limit: 100 })).resources.length, {
        timeout: 20_000,
      })
      .toBe(accepted.length)
  },
)
