import { describe } from 'vitest'
import { canMount, expectRecovered, fill, idsOf, readyOf } from '../../support/service/small-disk'
import { startSmallPostgres } from '../../support/service/postgres/small-postgres'
import { testOf } from '../../support/service/disposed-services'
import { type RunningService, startService } from '../../support/service/service-process'
import { send } from '../../support/service/client'

// Disks of PostgreSQL that are really full: the one with its data, and the one with its write-ahead log.

const it = testOf(startService).extend<{
  start: (part: 'data' | 'log') => Promise<RunningService & { makeRoom: () => void }>
}>({
  start: ({ started, afterTest }, use) =>
    use(async (part) => {
      const server = await startSmallPostgres(part)
      afterTest(() => server.dispose())
      return { ...(await started({ database: server.url, provisionMs: 500 })), makeRoom: server.makeRoom }
    }),
})

describe.runIf(canMount())('a full disk', { concurrent: true }, () => {
  it('of the data: 507, reads continue, and free space suffices to recover', async ({ expect, start }) => {
    const { makeRoom, ...service } = await start('data')
    const { url } = service
    const { status, detail, accepted } = await fill(url)
    expect([status, detail]).toEqual([507, expect.stringContaining('disk is full')])
    expect(accepted.length).toBeGreaterThan(3)
    const readiness = await readyOf(url)
    // Small ones may still fit.
    expect([200, 503]).toContain(readiness.status)
    expect(await idsOf(url)).toEqual([...accepted].reverse())
    expect((await send(`${url}/health`)).status).toBe(200)

    makeRoom()
    await expectRecovered(service, accepted, expect)
  })

  it('of the log: the database stops, 503, and once it can restart everything accepted is there', async ({
    expect,
    start,
  }) => {
    const { makeRoom, ...service } = await start('log')
    const { url } = service
    const { status, accepted } = await fill(url)
    // The server stops in the middle, so it isn't known whether the creation was stored.
    expect(status).toBe(503)
    expect(accepted.length).toBeGreaterThan(3)
    expect((await readyOf(url)).status).toBe(503)
    expect((await send(`${url}/health`)).status).toBe(200)

    makeRoom()
    await expectRecovered(service, accepted, expect)
  })
})
