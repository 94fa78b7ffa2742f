import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { runCommand, startService } from '../../support/service/service-here'
import { creation, type ErrorBody, getWith, post, send } from '../../support/service/client'

// Named keys, added and revoked by commands while services run.

const it = testOf(startService)

/** Adds a key with the command, and returns it. */
async function addKey(data: string, name: string, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(data, 'keys', 'add', name, ...options)
  expect(stderr).toContain(`Added "${name}"`)
  expect(code).toBe(0)
  return stdout.trim()
}

const listWith = (base: string, headers: Record<string, string>) =>
  send<ErrorBody>(`${base}/v2/deployments`, { headers })

const createWith = (base: string, key: string) =>
  post<ErrorBody>(base, creation(), { headers: { 'content-type': 'application/json', 'x-api-key': key } })

const statusWith = async (base: string, key: string): Promise<number> =>
  (await listWith(base, { 'x-api-key': key })).status

describe.concurrent('a named key', () => {
  it('is required once there has been one', async ({ expect, started }) => {
    const service = await started()
    expect((await listWith(service.url, {})).status).toBe(200)
    const key = await addKey(service.data, 'ci', '--role', 'create')
    expect(key).toMatch(/^slipway_[0-9a-f]{16}_[\w-]{43}$/)

    await expect.poll(async () => (await listWith(service.url, {})).status, { timeout: 10_000 }).toBe(401)
    expect(await statusWith(service.url, key)).toBe(200)
    expect((await createWith(service.url, key)).status).toBe(201)
    const wrong = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
    for (const other of [wrong, key.slice(0, -1), `${key}A`, key.toUpperCase()]) {
      expect(await statusWith(service.url, other)).toBe(401)
    }
  })

  it('with the role for reading is refused everything else', async ({ expect, started }) => {
    const service = await started()
    const key = await addKey(service.data, 'board', '--role', 'read')
    expect(await statusWith(service.url, key)).toBe(200)
    const { status, body, headers } = await createWith(service.url, key)
    expect(status).toBe(403)
    expect(body.detail).toContain('"board" may only read')
    expect(headers.get('www-authenticate')).toContain('insufficient_scope')
    const id = '00000000-0000-4000-8000-000000000000'
    const removal = { method: 'DELETE', headers: { 'x-api-key': key } }
    expect((await send(`${service.url}/v2/deployments/${id}`, removal)).status).toBe(403)
  })

  it('is refused within seconds of its revocation, and says so', async ({ expect, started }) => {
    const service = await started()
    const [first, second] = [
      await addKey(service.data, 'first', '--role', 'create'),
      await addKey(service.data, 'second', '--role', 'create'),
    ]
    expect(await statusWith(service.url, first)).toBe(200)
    const { code, stderr } = await runCommand(service.data, 'keys', 'revoke', 'first')
    expect(stderr).toContain('Revoked "first"')
    expect(code).toBe(0)
    await expect.poll(() => statusWith(service.url, first), { timeout: 5_000 }).toBe(401)
    expect((await listWith(service.url, { 'x-api-key': first })).body.detail).toContain(
      '"first" in X-Api-Key was revoked',
    )
    expect(await statusWith(service.url, second)).toBe(200)

    // Also if there is no other key.
    await runCommand(service.data, 'keys', 'revoke', 'second')
    await expect.poll(() => statusWith(service.url, second), { timeout: 5_000 }).toBe(401)
    expect((await listWith(service.url, {})).status).toBe(401)
    // The name is free again, for another key.
    const third = await addKey(service.data, 'first', '--role', 'read')
    expect(await statusWith(service.url, third)).toBe(200)
    expect(await statusWith(service.url, first)).toBe(401)
  })

  it('is valid until it expires', async ({ expect, started }) => {
    const service = await started()
    const end = new Date(Date.now() + 1_500).toISOString()
    const key = await addKey(service.data, 'guest', '--role', 'read', '--expires', end)
    expect(await statusWith(service.url, key)).toBe(200)
    await expect.poll(() => statusWith(service.url, key), { timeout: 10_000 }).toBe(401)
    expect((await listWith(service.url, { 'x-api-key': key })).body.detail).toContain(`expired at ${end}`)
  })

  it('is valid beside the key of the environment variable, and after a restart', async ({
    folder,
    started,
  }) => {
    const data = folder()
    const apiKey = 'a-key-of-some-length'
    const first = await started({ data, apiKey })
    const key = await addKey(data, 'ci', '--role', 'create')
    for (const right of [apiKey, key]) expect(await statusWith(first.url, right)).toBe(200)
    await first.stop()
    // A key also lets the service listen on other addresses.
    const second = await started({ data, host: '0.0.0.0' })
    const url = second.url.replace('0.0.0.0', '127.0.0.1')
    expect(await statusWith(url, key)).toBe(200)
    expect(await statusWith(url, apiKey)).toBe(401)
  })

  it('can be added before the first start, for a mode', async ({ expect, folder, started }) => {
    const data = folder()
    const none = await runCommand(data, 'keys', 'add', 'ci', '--role', 'read')
    expect(none.code).toBe(1)
    expect(none.stderr).toContain('Start the service once, or give its --mode')
    const key = await addKey(data, 'ci', '--role', 'read', '--mode', 'cloud')
    const service = await started({ data, host: '0.0.0.0' })
    expect(await statusWith(service.url.replace('0.0.0.0', '127.0.0.1'), key)).toBe(200)
  })
})

describe.concurrent('the commands', () => {
  it('refuse to add a taken name, and to revoke an unknown one', async ({ expect, started }) => {
    const { data } = await started()
    await addKey(data, 'ci', '--role', 'create')
    const again = await runCommand(data, 'keys', 'add', 'ci', '--role', 'read')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain('a key named "ci" already')
    const unknown = await runCommand(data, 'keys', 'revoke', 'cd')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('no key named "cd"')
  })

  it('list keys without their secrets, which nothing else shows either', async ({ expect, started }) => {
    const service = await started()
    const key = await addKey(service.data, 'ci', '--role', 'create', '--expires', '90d')
    const other = await addKey(service.data, 'board', '--role', 'read')
    await runCommand(service.data, 'keys', 'revoke', 'board')
    await statusWith(service.url, key)
    const { code, stdout } = await runCommand(service.data, 'keys', 'list')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^ci +[0-9a-f]{16} +create +any +\S+Z +\S+Z +in force$/)
    expect(lines[2]).toMatch(/^board +[0-9a-f]{16} +read +any +\S+Z +never +revoked \S+Z$/)
    for (const secret of [key, other].map((text) => text.slice(-43))) {
      expect(stdout + service.log()).not.toContain(secret)
    }
  })
})

/** The origin of a request, as a proxy reports it. */
const forwarded = (base: string, key: string, from: string): Promise<number> =>
  fetch(`${base}/v2/deployments?limit=1`, { headers: { 'x-api-key': key, 'x-forwarded-for': from } }).then(
    ({ status }) => status,
  )

/** Requests the list from another address of this machine. */
const listFrom = (base: string, localAddress: string, key: string) =>
  getWith(`${base}/v2/deployments?limit=1`, { 'x-api-key': key }, { localAddress })

// The clock stands still, so that no key is regained between two requests.
describe.sequential('wrong keys', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('slow down their sender behind a trusted proxy, whatever origin the sender claims', async ({
    expect,
    started,
  }) => {
    const service = await started({ args: ['--trusted-proxy', '127.0.0.0/8'] })
    const key = await addKey(service.data, 'ci', '--role', 'create')
    const attempts = Array.from({ length: 30 }, (_, index) =>
      forwarded(service.url, `wrong-key-number-${index}`, `198.51.100.${index}, 203.0.113.7`),
    )
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([401, 429]))
    expect(await forwarded(service.url, key, '203.0.113.7')).toBe(429)
    expect(await forwarded(service.url, key, '203.0.113.8')).toBe(200)
    expect(await forwarded(service.url, key, '203.0.113.7, 203.0.113.8')).toBe(200)
  })

  it('are counted by connection if the proxy is not trusted', async ({ expect, started }) => {
    const service = await started({ args: ['--trusted-proxy', '10.0.0.0/8'] })
    const key = await addKey(service.data, 'ci', '--role', 'create')
    const attempts = Array.from({ length: 30 }, (_, index) =>
      forwarded(service.url, `wrong-key-number-${index}`, `203.0.113.${index}`),
    )
    expect(await Promise.all(attempts)).toContain(429)
    expect(await forwarded(service.url, key, '203.0.113.200')).toBe(429)
  })

  // On Linux, all addresses of 127.0.0.0/8 are local.
  it.skipIf(process.platform !== 'linux')(
    'are slowed down, but not the valid keys of others',
    async ({ expect, started }) => {
      const service = await started()
      const key = await addKey(service.data, 'ci', '--role', 'create')
      const known = await addKey(service.data, 'known', '--role', 'create')
      const attacker = '127.0.0.7'
      // Another client is behind the same router.
      expect((await listFrom(service.url, attacker, known)).status).toBe(200)
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          listFrom(service.url, attacker, `wrong-key-number-${index}`),
        ),
      )
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(20)
      const slowedDown = answers.filter(({ status }) => status === 429)
      expect(slowedDown).toHaveLength(80)
      for (const { headers } of slowedDown) expect(headers['retry-after']).toBe('1')
      // A valid key that was never used from there isn't checked either: otherwise guessing would continue.
      expect((await listFrom(service.url, attacker, key)).status).toBe(429)
      expect((await listFrom(service.url, attacker, known)).status).toBe(200)
      expect((await listFrom(service.url, '127.0.0.8', key)).status).toBe(200)
      vi.advanceTimersByTime(1_000)
      expect((await listFrom(service.url, attacker, key)).status).toBe(200)
    },
  )
})
