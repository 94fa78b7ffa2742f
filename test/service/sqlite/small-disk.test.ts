import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { canMount, makeRoom, onSmallDisk } from '../../support/service/small-disk'
import { type RunningService, startService, temporaryFolder } from '../../support/service/service-process'
import { creation, type ErrorBody, expectRefused, list, listAll, post, send } from '../client'

// A disk that is really full.

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
  'a full disk is reported, reads continue, nothing accepted is lost, and free space suffices to recover',
  async () => {
    folder = temporaryFolder()
    const data = join(folder, 'data')
    service = await startService({
      data,
      provisionMs: 500,
      within: onSmallDisk({ folder, megabytes: 32, ballast: 14 }),
    })
    const ready = () => send<ErrorBody>(`${service.url}/ready`)
    expect((await ready()).status).toBe(200)
    const accepted: string[] = []
    const create = async (bytes: number): Promise<number> => {
      const { status, body } = await post(service.url, creationOf(bytes))
      if (status === 201) accepted.push(body.id)
      return status
    }
    // Large ones fail first. Before that, the service reports that it isn't ready for more.
    let isReady = 200
    let status = 201
    while (status === 201) {
      status = await create(900_000)
      if (status === 201) isReady = (await ready()).status
    }
    expect([status, isReady]).toEqual([507, 503])
    await create(100)
    await expectRefused(ready(), 503, 'disk is full')

    const all = async () => (await listAll(service.url)).map(({ id }) => id)
    expect(await all()).toEqual([...accepted].reverse())
    await expect
      .poll(async () => (await list(service.url, { status: 'READY', limit: 1 })).resources.length)
      .toBe(1)

    makeRoom(service.child.pid!, { folder })
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
