import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EnvironmentMode } from '../../../../../../electron/contract/core/mode'
import { serviceExit } from '../../../../../../electron/contract/app/service-exit'
import {
  begunAnewNotice,
  type BuiltInService,
  createBuiltInService,
} from '../../../../../../electron/main/processes/built-in-service'
import { temporaryFolder } from '../../../../../support/temporary-folder'

const opened: BuiltInService[] = []

afterEach(async () => {
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
      service.start('cloud'),
      service.start('self-hosted'),
      service.start('cloud'),
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
    await service.start('cloud')
    children[0]?.kill('SIGKILL')
    await vi.waitFor(() => expect(service.running('cloud')).toBeNull())
    expect(changes).toHaveBeenCalledTimes(2)
    expect(await service.start('cloud')).toMatchObject({ ok: true, value: { apiKey: keys[1] } })
    expect(children).toHaveLength(2)
  })

  it("report with their last output why they didn't start, and may be started again", async () => {
    const { service, children } = open(`console.error('The data folder is not writable.'); process.exit(3)`)
    const outcome = await service.start('cloud')
    expect(outcome).toMatchObject({ failure: { code: 'built-in-service', retryable: true } })
    const advice = outcome.ok ? null : outcome.failure.advice
    expect(advice).toContain('The data folder is not writable.')
    expect(advice).toContain('code 3')
    await service.start('cloud')
    expect(children).toHaveLength(2)
  })

  it("are ended if they don't listen in time", async () => {
    const { service, children } = open('setInterval(() => {}, 1000)', { startTimeLimitMs: 50 })
    expect(await service.start('cloud')).toMatchObject({ failure: { code: 'built-in-service' } })
    await vi.waitFor(() => expect(children[0]?.signalCode).toBe('SIGTERM'))
  })

  it('end with the application, and none starts afterwards', async () => {
    const { service, children } = open(listens)
    await service.start('cloud')
    await service.close()
    expect(children[0]?.signalCode).toBe('SIGTERM')
    expect(await service.start('cloud')).toMatchObject({ ok: false })
    expect(children).toHaveLength(1)
  })

  it("delay the application for two seconds at most if they don't end", async () => {
    const { service, children } = open(`process.on('SIGTERM', () => {});${listens}`)
    await service.start('cloud')
    // A machine that is busy delays both timers.
    const late = new Promise((resolve) => setTimeout(resolve, 2_500, 'late'))
    expect(await Promise.race([service.close().then(() => 'closed'), late])).toBe('closed')
    children[0]?.kill('SIGKILL')
  })
})

describe('damaged data of the built-in services', () => {
  const data = (): string => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'cloud'))
    writeFileSync(join(folder, 'cloud', 'old'), 'damaged')
    return folder
  }
  /** Refuses the old data as damaged. */
  const picky = `
    const folder = process.argv[process.argv.indexOf('--data') + 1]
    if (require('node:fs').existsSync(folder + '/old')) process.exit(${serviceExit.damaged})
    ${listens}
  `

  /** Crashes on the old data, like a library that can't handle it. */
  const brittle = `
    const folder = process.argv[process.argv.indexOf('--data') + 1]
    if (require('node:fs').existsSync(folder + '/old')) process.exit(6)
    ${listens}
  `

  it('is assumed if the service crashes twice in its start', async () => {
    const folder = data()
    const { service, children, begunAnew } = open(brittle, { folder })
    expect(await service.start('cloud')).toMatchObject({ ok: true })
    expect(children).toHaveLength(3)
    expect([...begunAnew]).toEqual([['cloud', expect.stringMatching(/^cloud\.damaged-/)]])
  })

  it("isn't assumed if it crashes once", async () => {
    const folder = data()
    const { service, children, begunAnew } = open(
      brittle.replace('process.exit(6)', `(require('node:fs').rmSync(folder + '/old'), process.exit(6))`),
      { folder },
    )
    expect(await service.start('cloud')).toMatchObject({ ok: true })
    expect(children).toHaveLength(2)
    expect([...begunAnew]).toEqual([])
  })

  it('is set aside completely, and the service starts over, once for all callers', async () => {
    const folder = data()
    const { service, children, begunAnew } = open(picky, { folder })
    const outcomes = await Promise.all([service.start('cloud'), service.start('cloud')])
    expect(outcomes).toMatchObject([{ ok: true }, { ok: true }])
    expect(children).toHaveLength(2)
    const [aside = ''] = readdirSync(folder)
    expect(aside).toMatch(/^cloud\.damaged-\d{4}-/)
    expect(readFileSync(join(folder, aside, 'old'), 'utf8')).toBe('damaged')
    expect([...begunAnew]).toEqual([['cloud', aside]])
    expect(begunAnewNotice(begunAnew)).toContain(
      `Sandbox (cloud) was damaged. It was set aside as built-in-service/${aside}`,
    )
    expect(service.running('cloud')).not.toBeNull()
  })

  it("stays if it can't be set aside, with a failure that says so", async () => {
    const { service, children, begunAnew } = open(`process.exit(${serviceExit.damaged})`, {
      folder: '/nowhere',
    })
    const outcome = await service.start('cloud')
    expect(outcome.ok ? null : outcome.failure.advice).toContain('could not be set aside')
    expect(children).toHaveLength(1)
    expect(begunAnew.size).toBe(0)
  })

  it('is set aside once for each start, however often the service reports it', async () => {
    const { service, children } = open(
      `require('node:fs').mkdirSync(process.argv[process.argv.indexOf('--data') + 1], { recursive: true })
       process.exit(${serviceExit.damaged})`,
      { folder: data() },
    )
    expect(await service.start('cloud')).toMatchObject({ failure: { code: 'built-in-service' } })
    expect(children).toHaveLength(2)
  })
})
