import { readdirSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { call, select } from '../e2e/support/bridge'
import { expect, type Slipway, alone as test } from '../e2e/support/fixtures'
import { useEnvironment } from '../e2e/support/services/stub-service'
import { type Direction, type Fault, FaultProxy } from '../faults/fault-proxy'
import { seed } from '../support/properties/runs'
import { startService } from '../support/service/service-process'

// An hour of work in minutes: switching, paging, searching, synchronising and creating in turn, with a faulty service.
// SOAK_MINUTES is the duration, PROPERTY_SEED chooses the sequence.

const minutes = Number(process.env.SOAK_MINUTES ?? 10)

/** Reproducible numbers from 0 to 1 (mulberry32). */
function numbersFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Memory in MiB and open handles of each kind of process. */
type Usage = Map<string, { memory: number; handles: number }>

async function usage(slipway: Slipway): Promise<Usage> {
  const metrics = await slipway.app.evaluate(({ app }) =>
    app.getAppMetrics().map(({ pid, type, name, serviceName, memory }) => ({
      pid,
      what: name ?? serviceName ?? type,
      memory: memory.workingSetSize / 1024,
    })),
  )
  return new Map(
    metrics.map(({ pid, what, memory }) => [
      `${what} ${pid}`,
      { memory, handles: readdirSync(`/proc/${pid}/fd`).length },
    ]),
  )
}

/** The minimum of several measurements a second apart, so that garbage doesn't count. */
async function settledUsage(slipway: Slipway): Promise<Usage> {
  const session = await slipway.page.context().newCDPSession(slipway.page)
  const min: Usage = new Map()
  for (let look = 0; look < 8; look += 1) {
    await session.send('HeapProfiler.collectGarbage')
    for (const [what, { memory, handles }] of await usage(slipway)) {
      const known = min.get(what) ?? { memory, handles }
      min.set(what, {
        memory: Math.min(known.memory, memory),
        handles: Math.min(known.handles, handles),
      })
    }
    await slipway.page.waitForTimeout(1_000)
  }
  await session.detach()
  return min
}

/** A fault somewhere on a connection with several requests and answers. */
function anyFault(random: () => number): Fault {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const direction = pick<Direction>(['request', 'answer'])
  const at = Math.floor(random() * (direction === 'request' ? 1_000 : 20_000))
  const busy =
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<h1>Busy</h1>'
  const kinds = [
    { kind: 'cut', how: 'fin' },
    { kind: 'cut', how: 'rst' },
    { kind: 'delay', ms: random() * 2_000 },
    { kind: 'corrupt', flip: 1 + Math.floor(random() * 255) },
    { kind: 'reply', text: busy },
    {
      kind: 'reply',
      text: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"resources": [',
    },
  ] as const
  return { direction, at, ...pick(kinds) }
}

/** Clicks an element if it is there and enabled. In a random sequence, it may not be. */
async function tryClick(target: Locator): Promise<void> {
  if (await target.first().isVisible())
    await target
      .first()
      .click({ timeout: 2_000 })
      .catch(() => undefined)
}

test(`leaks neither memory nor handles over ${minutes} minutes of random work`, async ({ slipway, page }) => {
  test.skip(minutes === 0, 'SOAK_MINUTES=0 skips it.')
  test.skip(process.platform !== 'linux', 'Handles are counted through /proc.')
  const random = numbersFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const service = await startService({ mode: 'cloud', sample: 3_000, provisionMs: 200 })
  const proxy = await FaultProxy.start(Number(new URL(service.url).port))
  proxy.plan = () => (random() < 0.8 ? [anyFault(random)] : [])
  const counts = new Map<string, number>()
  let created = 0
  try {
    const faulty = await useEnvironment(page, { name: 'Faulty', baseUrl: `http://127.0.0.1:${proxy.port}` })
    const environments = [faulty.id, faulty.id, 'built-in-cloud', 'built-in-self-hosted']
    const go = (name: string): Promise<void> =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    const work: Record<string, () => Promise<unknown>> = {
      switch: () => select(page, pick(environments)),
      look: () =>
        go(
          pick(['Deployments', 'Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']),
        ),
      page: () =>
        tryClick(page.getByRole('button', { name: pick(['Next page', 'Next page', 'Previous page']) })),
      refresh: () => tryClick(page.getByRole('button', { name: 'Refresh' })),
      mode: () => tryClick(page.getByRole('radio', { name: pick(['Live', 'Cached']) })),
      open: () => tryClick(page.getByRole('table', { name: 'Deployments' }).getByRole('link')),
      search: async () => {
        const box = page.getByRole('textbox', { name: 'Search deployments' })
        if (await box.isVisible()) await box.fill(pick(['', 'agent', 'zz', 'support'])).catch(() => undefined)
      },
      synchronise: () => call(page, 'sync.start', { environmentId: faulty.id }),
      cancel: () => call(page, 'sync.cancel', { environmentId: faulty.id }),
      create: () => create(page, faulty.id, `soak-${seed}-${(created += 1)}`),
      repositories: () => tryClick(page.getByRole('button', { name: 'List repositories' })),
      outage: async () => {
        proxy.out = true
        await page.waitForTimeout(1_500)
        proxy.out = false
      },
    }
    const turns = Object.keys(work).flatMap((name) =>
      Array.from({ length: name === 'outage' ? 1 : name === 'synchronise' ? 2 : 4 }, () => name),
    )
    const workUntil = async (end: number): Promise<void> => {
      while (Date.now() < end) {
        const name = pick(turns)
        counts.set(name, (counts.get(name) ?? 0) + 1)
        await work[name]!()
        await page.waitForTimeout(random() * 200)
      }
      await select(page, 'built-in-cloud')
      await go('Deployments')
    }

    await workUntil(Date.now() + 60_000)
    const early = await settledUsage(slipway)
    await workUntil(Date.now() + Math.max(0, minutes - 1) * 60_000)
    const late = await settledUsage(slipway)

    for (const [what, before] of early) {
      const after = late.get(what)
      // A restarted process, such as the keychain's, starts from zero.
      if (!after) continue
      process.stdout.write(
        `${what}: ${before.memory.toFixed(0)} -> ${after.memory.toFixed(0)} MiB, ${before.handles} -> ${after.handles} handles\n`,
      )
      expect.soft(after.memory, `${what}: memory in MiB`).toBeLessThan(before.memory * 1.2 + 5)
      expect.soft(after.handles, `${what}: handles`).toBeLessThan(before.handles * 1.2 + 10)
    }
    expect(proxy.faults).toBeGreaterThan(0)
    expect(slipway.output).not.toMatch(/unhandledRejection|UnhandledPromiseRejection|Uncaught/i)
    test.info().annotations.push({ type: 'tried', description: String(proxy.faults) })
    const done = [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
    process.stdout.write(`seed ${seed}: ${done}; ${proxy.faults} faults\n`)
  } finally {
    await proxy.close()
    await service.dispose()
  }
})

/** Creates a deployment. With a fault it may fail, and the application then looks it up. */
async function create(page: Page, environmentId: string, name: string): Promise<void> {
  await call(page, 'deployments.create', {
    environmentId,
    request: {
      name,
      source: 'internal_docker',
      source_config: {},
      source_revision_config: {},
      secrets: [{ name: 'A_SECRET', value: 'a secret value' }],
    },
    confirmedName: null,
  })
}
