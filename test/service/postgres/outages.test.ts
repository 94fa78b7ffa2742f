import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import {
  type PostgresServer,
  postgresPassword,
  startPostgres,
  suiteDatabases,
} from '../../support/service/postgres/postgres-server'
import { type RunningService, startService, type ServiceStart } from '../../support/service/service-process'
import {
  creation,
  type ErrorBody,
  exchange,
  expectRefused,
  keepCreating,
  list,
  listAll,
  post,
  send,
} from '../../support/service/client'

// A database that stops, fails over or is too busy: what clients see, and that nothing is lost. Most of
// the time is waiting, so all run at once.

const server = suiteDatabases()

const it = testOf(startService).extend<{
  serve: (database: string, start?: ServiceStart) => Promise<RunningService>
  /** Servers of the test's own. */
  ownServer: () => Promise<PostgresServer>
  /** A primary with a synchronous standby. */
  pair: () => Promise<[PostgresServer, PostgresServer]>
}>({
  serve: ({ started, afterTest }, use) =>
    use(async (database, start) => {
      const service = await started({ database, connections: 6, provisionMs: 100, ...start })
      afterTest(() => {
        expect(service.log()).not.toMatch(/ 500 |\n\s+at /)
        expect(service.log()).not.toContain(postgresPassword)
      })
      return service
    }),
  ownServer: ({ afterTest }, use) =>
    use(async () => {
      const own = await startPostgres()
      afterTest(() => own.dispose())
      return own
    }),
  pair: ({ ownServer, afterTest }, use) =>
    use(async () => {
      const primary = await ownServer()
      const standby = await primary.startStandby()
      afterTest(() => standby.dispose())
      return [primary, standby]
    }),
})

/** An address that leads to a server, and later to another, as a virtual address or a proxy does. */
async function startAddress(first: string) {
  let target = first
  const server = createServer((socket) => {
    const [host, port] = target.split(':')
    const other = connect(Number(port), host)
    socket.pipe(other).pipe(socket)
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      from.on('error', () => undefined).once('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (other: string) => void (target = other),
    close: () => void server.close(),
  }
}

const statusOf = async (url: string): Promise<number> => (await send(url)).status

describe.concurrent('a database', () => {
  it('without its database, an instance keeps running, answers 503, and recovers automatically', async ({
    expect,
    ownServer,
    serve,
  }) => {
    const server = await ownServer()
    const { url } = await serve(await server.create('away'))
    const { body: first } = await post(url, creation())
    await server.kill()
    const refused = await post<ErrorBody>(url, creation())
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await statusOf(`${url}/v2/deployments`)).toBe(503)
    expect(await statusOf(`${url}/ready`)).toBe(503)
    expect(await statusOf(`${url}/health`)).toBe(200)

    // A read that started before waits for the restart, and is answered.
    const waiting = list(url)
    await server.restart()
    expect((await waiting).resources.map(({ id }) => id)).toEqual([first.id])
    expect((await post(url, creation())).status).toBe(201)
    expect(await statusOf(`${url}/ready`)).toBe(200)
  })

  it('a connection lost in the middle: reads are repeated, a creation is reported as uncertain', async ({
    expect,
    serve,
  }) => {
    const { url } = await serve(await server.create('lost'))
    await post(url, creation())
    const endAll = `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'lost'
                  and application_name = 'slipway-service'`
    // Both wait for the table when their connections are ended.
    const release = await server.hold('lost', 'lock table slipway.deployments in access exclusive mode')
    const pending = post<ErrorBody>(url, creation())
    const read = list(url)
    await expect
      .poll(
        () =>
          server.query(
            'postgres',
            `select from pg_stat_activity where datname = 'lost' and wait_event_type = 'Lock'`,
          ),
        { timeout: 20_000 },
      )
      .toHaveLength(2)
    await server.query('postgres', endAll)
    await expectRefused(pending, 503, 'may have been created or not')
    await release()
    expect((await read).resources).toHaveLength(1)
  })

  it('a statement that takes too long is ended and rolled back, 503; others go on', async ({
    expect,
    serve,
  }) => {
    const { url } = await serve(await server.create('slow'))
    await post(url, creation())
    const release = await server.hold('slow', 'lock table slipway.tracing_projects in share mode')
    const pending = post<ErrorBody>(url, creation())
    expect((await list(url)).resources).toHaveLength(1)
    await expectRefused(pending, 503, "can't be used at the moment")
    await release()
    expect((await list(url)).resources).toHaveLength(1)
    expect((await post(url, creation())).status).toBe(201)
  })

  it('a server that hangs: every request is answered 503 before a proxy gives up on it, and everything works afterwards', async ({
    expect,
    ownServer,
    serve,
  }) => {
    const server = await ownServer()
    const service = await serve(await server.create('hanging'), { apiKey: 'sixteen-or-more-characters' })
    const headers = { 'x-api-key': 'sixteen-or-more-characters', 'content-type': 'application/json' }
    const deployments = `${service.url}/v2/deployments`
    const { body } = await post(service.url, creation(), { headers })
    const requests: [string, RequestInit][] = [
      [deployments, { headers }],
      [`${deployments}/${body.id}`, { headers }],
      [deployments, { method: 'POST', headers, body: JSON.stringify(creation()) }],
      [`${deployments}/${body.id}`, { method: 'PATCH', headers, body: '{"secret_references":[]}' }],
      [`${deployments}/${body.id}/revisions`, { method: 'POST', headers, body: '{}' }],
      [`${deployments}/${body.id}`, { method: 'DELETE', headers }],
      [`${service.url}/ready`, {}],
    ]
    // The recipe's proxy waits for 30 s. The second time, the connections are known to be lost.
    const goOn = server.hang()
    try {
      for (const round of [1, 2]) {
        const begun = Date.now()
        const answers = await Promise.all(
          requests.map(async ([url, init]) => {
            const { response } = await exchange(url, init)
            return [url, response.status, response.headers.get('retry-after'), Date.now() - begun < 20_000]
          }),
        )
        expect(answers, String(round)).toEqual(requests.map(([url]) => [url, 503, '5', true]))
      }
      expect(await statusOf(`${service.url}/health`)).toBe(200)
    } finally {
      goOn()
    }
    await expect.poll(() => statusOf(`${service.url}/ready`), { timeout: 20_000 }).toBe(200)
    expect((await post(service.url, creation(), { headers })).status).toBe(201)
  })

  describe('a primary that is killed, with a synchronous standby', () => {
    it('loses nothing that was answered; 503 until its address leads to the promoted standby', async ({
      expect,
      pair,
      serve,
    }) => {
      const [primary, standby] = await pair()
      const address = await startAddress(primary.address)
      const database = (await primary.create('failover')).replace(primary.address, address.address)
      const [one, other] = [await serve(database), await serve(database)]
      const { accepted, refused, stop } = keepCreating(one.url, one.url, other.url, other.url)
      await expect.poll(() => accepted.length, { timeout: 30_000 }).toBeGreaterThan(20)
      await primary.kill()
      await expect.poll(() => refused.length, { timeout: 30_000 }).toBeGreaterThan(3)
      expect(await statusOf(`${one.url}/ready`)).toBe(503)
      await standby.promote()
      address.leadTo(standby.address)
      const atPromotion = accepted.length
      await expect.poll(() => accepted.length, { timeout: 30_000 }).toBeGreaterThan(atPromotion + 20)
      await stop()
      expect(new Set(refused)).toEqual(new Set([503]))
      const found = new Set((await listAll(other.url)).map(({ id }) => id))
      expect(accepted.filter((id) => !found.has(id))).toEqual([])
      expect(await statusOf(`${one.url}/ready`)).toBe(200)
      address.close()
    })

    it('whose standby hangs: no creation that only the primary has is answered 201, and reads continue', async ({
      expect,
      pair,
      serve,
    }) => {
      const [primary, standby] = await pair()
      const { url } = await serve(primary.url('postgres'))
      const { body: first } = await post(url, creation())
      const goOn = standby.hang()
      const request = creation()
      const creating = post<ErrorBody>(url, request)
      expect((await list(url)).resources.map(({ id }) => id)).toEqual([first.id])
      await expectRefused(creating, 503, 'may have been created or not')
      expect((await list(url)).resources.length).toBeGreaterThan(0)
      goOn()
      await expect.poll(async () => (await post(url, creation())).status, { timeout: 20_000 }).toBe(201)
      expect((await post(url, request)).status).toBe(409)
    })
  })
})
