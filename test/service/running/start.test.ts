import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it as test } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { run, startService as startHere } from '../../support/service/service-here'
import { runService, startService } from '../../support/service/service-process'
import { creation, list, listAll, post } from '../../support/service/client'

const it = testOf(startHere)
const inProcess = testOf(startService)

/** Opens a connection and sends something, but never the end of a request. Gives what closes it. */
function openConnection(url: string, text: string): Promise<() => void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text, () => resolve(() => socket.destroy()))
    })
    socket.on('error', () => undefined)
  })
}

test('wrong arguments end with status 2, the reason and the usage', async () => {
  const { code, stdout, stderr } = await runService(['--mode', 'cloud'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('--data is missing')
  expect(stderr).toContain('Usage: slipway-service')
})

test.each([
  ['an address that is none', '--database postgres://u:the-password@h:port/d', 'must be like postgres://'],
  ['an address of something else', '--database mysql://u:the-password@h/d', 'must be like postgres://'],
  ['in the wrong place', 'postgres://u:the-password@h/d', 'too many arguments'],
])("wrong arguments don't show a connection string: %s", async (_what, args, reason) => {
  const { code, stderr } = await run(['--mode', 'cloud', ...args.split(' ')])
  expect(code).toBe(2)
  expect(stderr).toContain(reason)
  expect(stderr).not.toContain('the-password')
})

it('needs an API key on hosts that others can reach, and not on loopback', async ({ folder, started }) => {
  for (const host of ['0.0.0.0', '']) {
    const { code, stderr } = await run(['--mode', 'cloud', '--data', folder(), '--host', host])
    expect([code, stderr]).toEqual([2, expect.stringContaining('without an API key')])
  }
  for (const host of ['localhost', '::1', '127.0.0.2']) {
    const { url } = await started({ host })
    expect(new URL(url).hostname).toBe(host === '::1' ? '[::1]' : host)
    expect((await list(url)).resources).toEqual([])
  }
})

it('refuses a port in use and data of the other mode, with a status for the reason and what to do', async ({
  folder,
  started,
}) => {
  const { url, data, stop } = await started({ mode: 'cloud' })
  const { port } = new URL(url)
  const taken = await run(['--mode', 'cloud', '--data', folder(), '--port', port])
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(`Port ${port}.*--port`)])
  await stop()
  const other = await run(['--mode', 'self-hosted', '--data', data])
  expect(other.code).toBe(1)
  expect(other.stderr).toMatch(/holds deployments of a cloud environment.*Use --mode cloud/)
})

inProcess('prints where it listens on one line, and creates the data', async ({ folder, started }) => {
  const service = await started({ data: join(folder(), 'a', 'b') })
  await post(service.url, creation())
  const { stdout } = await service.stop()
  expect(stdout).toBe(`listening on ${service.url}\n`)
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

describe('it ends', () => {
  inProcess.for(['SIGTERM', 'SIGINT'] as const)(
    'cleanly on %s within 2 s, whatever is connected',
    async (signal, { started }) => {
      const service = await started({ sample: 50 })
      await list(service.url)
      const head = `POST /v2/deployments HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Type: application/json\r\n`
      const close = await Promise.all(
        ['', 'GET /v2/deployments HTTP/1.1\r\nHost: x\r\n', `${head}Content-Length: 1000\r\n\r\n{"na`].map(
          (text) => openConnection(service.url, text),
        ),
      )
      const { code, elapsed, stderr } = await service.stop(signal)
      close.forEach((end) => end())
      expect(code).toBe(0)
      expect(elapsed).toBeLessThan(2_000)
      expect(stderr).not.toContain('rror')
    },
  )

  inProcess('not because nobody reads its output, but keeps serving', async ({ started }) => {
    const service = await started()
    service.child.stdout!.destroy()
    service.child.stderr!.destroy()
    for (let index = 0; index < 5; index += 1) await list(service.url)
    expect((await post(service.url, creation())).status).toBe(201)
  })
})

describe('a restart', () => {
  it('finds everything unchanged, and adds no sample', async ({ folder, started }) => {
    const data = folder()
    const first = await started({ data, sample: 40, provisionMs: 0 })
    const { body } = await post(first.url, creation())
    const before = await listAll(first.url)
    await first.stop()
    expect(first.log()).not.toContain('--sample')
    const second = await started({ data, sample: 90 })
    expect(await listAll(second.url)).toEqual(before)
    expect(second.log()).toContain('--sample changed nothing')
    expect(second.log()).toMatch(/use an empty (?:folder with --data|database)/)
    expect((await post(second.url, { ...creation(), name: body.name })).status).toBe(409)
    expect((await post(second.url, creation())).body.tenant_id).toBe(body.tenant_id)
  })

  inProcess('may follow at once while the old service is still ending', async ({ folder, started }) => {
    const data = folder()
    const first = await started({ data })
    const { body } = await post(first.url, creation())
    const close = await openConnection(first.url, 'GET / HTTP/1.1\r\n')
    const [ending, second] = await Promise.all([first.stop(), started({ data })])
    close()
    expect(ending.code).toBe(0)
    expect((await list(second.url)).resources.map(({ id }) => id)).toEqual([body.id])
  })
})
