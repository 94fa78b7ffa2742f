import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EnvironmentMode } from '../../../../../electron/contract/app/environment'
import {
  type BuiltInService,
  createBuiltInService,
} from '../../../../../electron/main/processes/built-in-service'

const opened: BuiltInService[] = []

let isSelected = true
const isCurrent = (): boolean => isSelected

afterEach(async () => {
  isSelected = true
  vi.useRealTimers()
  await Promise.all(opened.splice(0).map((service) => service.close()))
})

/** Built-in services whose program is a Node script with the service's arguments. */
function open(
  script: string,
  { startTimeLimitMs, folder = '/data' }: { startTimeLimitMs?: number; folder?: string } = {},
) {
  const children: ChildProcess[] = []
  const keys: (string | undefined)[] = []
  const begunAnew = new Map<EnvironmentMode, string>()
  const service = createBuiltInService({
    folder,
    begunAnew: (mode, aside) => begunAnew.set(mode, aside),
    startTimeLimitMs,
    fork: (args, variables) => {
      keys.push(variables['SLIPWAY_SERVICE_API_KEY'])
      const child = spawn(process.execPath, ['-e', script, '--', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...variables },
      })
      children.push(child)
      return child
    },
  })
  opened.push(service)
  return { service, children, keys, begunAnew }
}

const listens = `
  const port = process.argv.includes('cloud') ? 1111 : 2222
  process.stdout.write('starting\\nlistening on http://127.')
  setTimeout(() => process.stdout.write('0.0.1:' + port + '\\n' + process.argv.join(' ')), 20)
  setInterval(() => {}, 1000)
`

describe('the built-in services', () => {
  it('start once for each mode, however many calls at the same time', async () => {
    const { service, children, keys } = open(listens)
    expect(service.running('cloud')).toBeNull()
    const outcomes = await Promise.all([
      service.start('cloud', isCurrent),
      service.start('self-hosted', isCurrent),
      service.start('cloud', isCurrent),
    ])
    expect(outcomes).toMatchObject([
      { ok: true, value: { baseUrl: 'http://127.0.0.1:1111', apiKey: keys[0] } },
      { ok: true, value: { baseUrl: 'http://127.0.0.1:2222', apiKey: keys[1] } },
      { ok: true, value: { baseUrl: 'http://127.0.0.1:1111' } },
    ])
    expect(children).toHaveLength(2)
    expect(keys[0]).toMatch(/^[\w-]{32}$/)
    expect(keys[0]).not.toBe(keys[1])
    expect(service.running('cloud')?.baseUrl).toBe('http://127.0.0.1:1111')
  })

  it('start again, with another key, after a crash', async () => {
    const { service, children, keys } = open(listens)
    const changes = vi.fn()
    service.onChange(changes)
    await service.start('cloud', isCurrent)
    children[0]?.kill('SIGKILL')
    await vi.waitFor(() => expect(service.running('cloud')).toBeNull())
    expect(changes).toHaveBeenCalledTimes(2)
    expect(await service.start('cloud', isCurrent)).toMatchObject({ ok: true, value: { apiKey: keys[1] } })
    expect(children).toHaveLength(2)
  })

  it('end after their last use, unless their environment is the current one, and start when they are used again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { service, children } = open(listens)
    await service.start('cloud', isCurrent)
    vi.advanceTimersByTime(35_000)
    expect(children[0]?.killed).toBe(false)
    isSelected = false
    vi.advanceTimersByTime(35_000)
    expect(children[0]?.killed).toBe(true)
    const again = await service.start('cloud', isCurrent)
    expect(children[0]?.signalCode).toBe('SIGTERM')
    expect(again.ok && again.value).toEqual(service.running('cloud'))
    expect(children).toHaveLength(2)
  })

  it("report with their last output why they didn't start, and may be started again", async () => {
    const { service, children } = open(`console.error('The data folder is not writable.'); process.exit(3)`)
    const outcome = await service.start('cloud', isCurrent)
    expect(outcome).toMatchObject({ failure: { code: 'built-in-service', retryable: true } })
    const advice = outcome.ok ? null : outcome.failure.advice
    expect(advice).toContain('The data folder is not writable.')
    expect(advice).toContain('code 3')
    await service.start('cloud', isCurrent)
    expect(children).toHaveLength(2)
  })

  it('end with the application, and none starts afterwards', async () => {
    const { service, children } = open(listens)
    await service.start('cloud', isCurrent)
    await service.close()
    expect(children[0]?.signalCode).toBe('SIGTERM')
    expect(await service.start('cloud', isCurrent)).toMatchObject({ ok: false })
    expect(children).toHaveLength(1)
  })
})
