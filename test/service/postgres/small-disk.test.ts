import { randomBytes } from 'node:crypto'
import { describe, expect } from 'vitest'
import { canMount } from '../../support/service/small-disk'
import { startSmallPostgres } from '../../support/service/postgres/small-postgres'
import { testOf } from '../../support/service/disposed-services'
import { type RunningService, startService } from '../../support/service/service-process'
import { creation, type ErrorBody, list, listAll, post, send } from '../client'

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

/** A creation of this many bytes, which can't be compressed. */
const creationOf = (bytes: number) =>
  creation('internal_source', {
    source_config: { resource_spec: { labels: { text: randomBytes((bytes * 3) / 4).toString('base64') } } },
  })

/** Creates until a creation is refused. Returns the refusal, and what was accepted before. */
async function fill(url: string): Promise<{ status: number; detail: string; accepted: string[] }> {
  const accepted: string[] = []
  for (;;) {
    const { status, body } = await post<ErrorBody & { id: string }>(url, creationOf(900_000))
    if (status !== 201) return { status, detail: body.detail, accepted }
    accepted.push(body.id)
  }
}

const idsOf = async (url: string): Promise<string[]> => (await listAll(url)).map(({ id }) => id)
const readyOf = (url: string) => send<ErrorBody>(`${url}/ready`)

/** Expects that the service has recovered: everything accepted exists and is READY, and more is accepted. */
async function expectRecovered(
  { url, log }: RunningService,
  accepted: readonly string[],
  { poll }: typeof expect,
): Promise<void> {
  await poll(async () => (await readyOf(url)).status, { timeout: 30_000 }).toBe(200)
  const { status, body } = await post(url, creationOf(900_000))
  expect(status).toBe(201)
  const all = [...accepted, body.id]
  const found = await idsOf(url)
  expect(all.filter((id) => !found.includes(id))).toEqual([])
  const ready = async () => (await list(url, { status: 'READY', limit: 100 })).resources.length
  await poll(ready, { timeout: 30_000 }).toBe(found.length)
  expect(log()).not.toMatch(/ 500 |\n\s+at /)
}

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
