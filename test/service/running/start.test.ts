import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTask } from '../../../electron/service/arguments'
import { disposedServices } from '../../support/service/disposed-services'
import { runService, startService } from '../../support/service/service-process'
import { creation, list, listAll, post } from '../client'

const { afterTest, folder, started } = disposedServices(startService)

/** Opens a connection and sends something, but never the end of a request. */
function openConnection(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text, () => resolve())
    })
    socket.on('error', () => undefined)
    afterTest(() => socket.destroy())
  })
}

describe('wrong arguments', () => {
  it.each([
    ['--data x', '--mode'],
    ['--mode hybrid --data x', 'hybrid'],
    ['--mode cloud', '--data'],
    ['--mode cloud --data x --database postgres://x/y', 'exclude each other'],
    ['--mode cloud --data x --connections 5', '--connections'],
    ['--mode cloud --database postgres://x/y --connections 1', 'a whole number from 2'],
    ['--mode cloud --data x --port 70000', '--port'],
    ['--mode cloud --data x --sample many', '--sample'],
    ['--mode cloud --data x --provision-ms 1s', '--provision-ms'],
    ['--mode cloud --data x --log-format xml', '--log-format'],
    ['--mode cloud --data x --drain-ms -1', '--drain-ms'],
    ['--mode cloud --data x --colour red', '--colour'],
    ['--mode cloud --data x start', 'too many arguments'],
    ['--mode cloud --data x --trusted-proxy 10.0.0.0/33', '10.0.0.0/33'],
    ['--mode cloud --data x --base-path x', '--base-path'],
    ['--mode cloud --data x --base-path /a/../b', '--base-path'],
    ['--mode cloud --data x --allowed-host a.example/b', '--allowed-host'],
    ['--mode cloud --data x --cors-origin *', '--cors-origin'],
    ['--mode cloud --data x --cors-origin https://a.example/', '--cors-origin'],
    ['--mode cloud --data x --tls-cert a.pem', '--tls-key'],
    ['keys show --data x', 'show'],
    ['keys add ci --data x', '--role'],
    ['keys add ci --role admin --data x', 'read, create'],
    ['keys add --role read --data x', 'name'],
    ['keys add ci --role read --expires soon --data x', 'soon'],
    ['keys add ci --role read --expires 2020-01-01 --data x', 'is over already'],
    ['keys list --integration x --data x', '--integration'],
    ['keys list', '--data'],
    ['repositories import x --integration x --data x', 'UUID'],
    [
      'repositories import x --url-prefix https://u:p@git.example --data x',
      'like https://git.example/agents',
    ],
    ['repositories import github:a/b --data x', 'like github:OWNER'],
    ['repositories import x --token-file x --data x', '--token-file'],
    ['repositories import x --every 0m --data x', 'like 15m or 12h'],
  ])('%s: are refused with the reason (%s)', (args, reason) => {
    expect(() => readTask(args.split(' '), {})).toThrow(reason)
  })

  it('end with status 2, the reason and the usage', async () => {
    const { code, stdout, stderr } = await runService(['--mode', 'cloud'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--data is missing')
    expect(stderr).toContain('Usage: slipway-service')
  })
})

describe('without an API key', () => {
  it.each(['0.0.0.0', ''])('no service starts on other hosts: --host "%s"', async (host) => {
    const args = ['--mode', 'cloud', '--data', folder(), '--host', host]
    const { code, stdout, stderr } = await runService(args)
    expect(code).toBe(2)
    expect(stderr).toContain('without an API key')
    expect(stderr).toContain('Usage: slipway-service')
    expect(stdout).toBe('')
  })
})

it.each([
  [
    'as an address that is none',
    ['--database', 'postgres://u:the-password@h:port/d'],
    'must be like postgres://',
  ],
  [
    'as an address of something else',
    ['--database', 'mysql://u:the-password@h/d'],
    'must be like postgres://',
  ],
  ['in the wrong place', ['postgres://u:the-password@h/d'], 'too many arguments'],
])("a connection string isn't shown: %s", async (_what, args, reason) => {
  const { code, stdout, stderr } = await runService(['--mode', 'cloud', ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(reason)
  expect(stdout + stderr).not.toContain('the-password')
})

describe('an API key', () => {
  it.each([
    ['too short', 'fifteen-letters'],
    ['too long', 'x'.repeat(257)],
    ['not ASCII', 'a-key-of-some-length-ä'],
    ['with a space', 'a key of some length'],
    ['with a control character', 'a-key-of-some-\u0007length'],
  ])("isn't accepted if it is %s, and isn't shown", (_what, key) => {
    const read = () => readTask(['--mode', 'cloud', '--data', 'x'], { SLIPWAY_SERVICE_API_KEY: key })
    expect(read).toThrow(/^SLIPWAY_SERVICE_API_KEY must have 16 to 256 printable ASCII characters/)
    expect(read).not.toThrow(key)
  })

  it.each(['sixteen-letters!', 'x'.repeat(256)])('is accepted: %s', (apiKey) => {
    const task = readTask(['--mode', 'cloud', '--data', 'x'], { SLIPWAY_SERVICE_API_KEY: apiKey })
    expect(task).toMatchObject({ options: { apiKey } })
  })
})

it('prints where it listens on one line, and creates the data', async () => {
  const data = join(folder(), 'a', 'b')
  const service = await started({ data })
  await post(service.url, creation())
  const { stdout } = await service.stop()
  expect(stdout).toBe(`listening on ${service.url}\n`)
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

it.each(['localhost', '::1', '127.0.0.2'])('serves loopback as %s without an API key', async (host) => {
  const service = await started({ host })
  expect(new URL(service.url).hostname).toBe(host === '::1' ? '[::1]' : host)
  expect((await list(service.url)).resources).toEqual([])
})

describe('it refuses to start, with a status for the reason and what to do,', () => {
  it('on a port in use', async () => {
    const first = await started()
    const { port } = new URL(first.url)
    const { code, stderr } = await runService(['--mode', 'cloud', '--data', folder(), '--port', port])
    expect(code).toBe(1)
    expect(stderr).toContain(`Port ${port}`)
    expect(stderr).toContain('--port')
    expect(stderr).not.toContain(' at ')
  })

  it('on data of the other mode', async () => {
    const data = folder()
    await (await started({ mode: 'cloud', data })).stop()
    const refused = startService({ mode: 'self-hosted', data })
    await expect(refused).rejects.toThrow(
      /status 1 .*holds deployments of a cloud environment.*Use --mode cloud/s,
    )
  })
})

describe('it ends', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'cleanly on %s within 2 s, whatever is connected',
    async (signal) => {
      const service = await started({ sample: 50 })
      await list(service.url)
      await openConnection(service.url, '')
      await openConnection(service.url, 'GET /v2/deployments HTTP/1.1\r\nHost: x\r\n')
      await openConnection(
        service.url,
        `POST /v2/deployments HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"na`,
      )
      const { code, elapsed, stderr } = await service.stop(signal)
      expect(code).toBe(0)
      expect(elapsed).toBeLessThan(2_000)
      expect(stderr).not.toContain('rror')
    },
  )

  it('not because nobody reads its output, but keeps serving', async () => {
    const service = await started()
    service.child.stdout!.destroy()
    service.child.stderr!.destroy()
    for (let index = 0; index < 5; index += 1) await list(service.url)
    expect((await post(service.url, creation())).status).toBe(201)
  })
})

describe('the life of a deployment', () => {
  it('continues after a crash', async () => {
    const data = folder()
    const first = await started({ data, provisionMs: 300 })
    const { body } = await post(first.url, creation())
    await first.kill()
    await until(Date.parse(body.created_at) + 300)
    const second = await started({ data, provisionMs: 60_000 })
    const [ready] = (await list(second.url)).resources
    expect(ready).toMatchObject({ id: body.id, status: 'READY', active_revision_id: body.latest_revision_id })
  })
})

describe('a restart', () => {
  it('finds everything unchanged, and adds no sample', async () => {
    const data = folder()
    const first = await started({ data, sample: 40, provisionMs: 0 })
    const { body } = await post(first.url, creation())
    const before = await listAll(first.url)
    expect((await first.stop()).stderr).not.toContain('--sample')
    const second = await started({ data, sample: 90 })
    expect(await listAll(second.url)).toEqual(before)
    expect((await post(second.url, { ...creation(), name: body.name })).status).toBe(409)
    expect((await post(second.url, creation())).body.tenant_id).toBe(body.tenant_id)
  })

  it('may follow at once while the old service is still ending', async () => {
    const data = folder()
    const first = await started({ data })
    const { body } = await post(first.url, creation())
    await openConnection(first.url, 'GET / HTTP/1.1\r\n')
    const [ending, second] = await Promise.all([first.stop(), started({ data })])
    expect(ending.code).toBe(0)
    expect((await list(second.url)).resources.map(({ id }) => id)).toEqual([body.id])
  })

  it("doesn't add a sample to a deployment that someone created", async () => {
    const data = folder()
    const first = await started({ data })
    await post(first.url, creation())
    await first.stop()
    const second = await started({ data, sample: 10 })
    expect((await list(second.url)).resources).toHaveLength(1)
    expect(second.log()).toContain('--sample changed nothing')
    expect(second.log()).toMatch(/use an empty (?:folder with --data|database)/)
  })
})

/** Waits until a moment. The status of a deployment depends on the clock only, so nothing else announces it. */
async function until(time: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())))
}
