import { join } from 'node:path'
import { expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import {
  canMount,
  creationOf,
  expectRecovered,
  fill,
  idsOf,
  makeRoom,
  onSmallDisk,
  readyOf,
} from '../../support/service/small-disk'
import { startService } from '../../support/service/service-process'
import { expectRefused, list, post } from '../../support/service/client'

// A disk that is really full.

testOf(startService).runIf(canMount())(
  'a full disk is reported, reads continue, nothing accepted is lost, and free space suffices to recover',
  async ({ folder: newFolder, started }) => {
    const folder = newFolder()
    const service = await started({
      data: join(folder, 'data'),
      provisionMs: 500,
      within: onSmallDisk({ folder, megabytes: 32, ballast: 14 }),
    })
    expect((await readyOf(service.url)).status).toBe(200)
    // Large ones fail first. Before that, the service reports that it isn't ready for more.
    const { status, accepted, readiness } = await fill(service.url)
    expect([status, readiness]).toEqual([507, 503])
    const small = await post(service.url, creationOf(100))
    if (small.status === 201) accepted.push(small.body.id)
    await expectRefused(readyOf(service.url), 503, 'disk is full')

    expect(await idsOf(service.url)).toEqual([...accepted].reverse())
    await expect
      .poll(async () => (await list(service.url, { status: 'READY', limit: 1 })).resources.length)
      .toBe(1)

    makeRoom(service.child.pid!, { folder })
    await expectRecovered(service, accepted, expect)
  },
)
