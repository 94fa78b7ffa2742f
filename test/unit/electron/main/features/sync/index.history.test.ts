import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fail, failure, succeed } from '@contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Synchronisation } from '../../../../../../electron/main/features/sync'
import type { HttpClient } from '../../../../../../electron/main/http/client'
import { type Cache, createCache } from '../../../../../../electron/main/processes/cache-client'
import { answered, pageOf } from '../../../../../support/builders/answer-bodies'
import { forkCacheHere } from '../../../../../support/cache/cache-here'
import { isLong } from '../../../../../support/properties/runs'
import { synchroniseOne } from '../../../../../support/sync/one-environment'
import { temporaryFolder } from '../../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../../electron/main/processes/store-process'

const [days, total] = isLong ? [30, 10_000] : [6, 1_200]
const dayMs = 24 * 3_600_000

let folder: string
let server: Server
let baseUrl: string
let now: number
let isOut: boolean
/** How far the service's clock is ahead, in milliseconds. */
let aheadMs: number
/** The deployments of the service, as the texts that it answers, newest first. */
let texts: Map<number, string>
let cache: Cache
let synchronisation: Synchronisation

const http = {
  async request({ target, path, query }) {
    try {
      const answer = await fetch(`${target.baseUrl}${path}?${query}`)
      const body = new Uint8Array(await answer.arrayBuffer())
      return answer.ok
        ? succeed({ status: answer.status, body, date: answer.headers.get('date') })
        : fail(failure('internal', 'Broken.'))
    } catch {
      return fail(failure('connection-lost', 'Lost.'))
    }
  },
} as HttpClient

/** The parts of the main process and of the cache process, with the files of the previous run. */
function start(): void {
  const target = { environmentId: 'e', baseUrl, headers: {} }
  cache = createCache({
    process: createStoreProcess({ fork: () => forkCacheHere(), timeLimitMs: 60_000 }),
    keys: { keyFor: () => Promise.resolve(succeed('ab'.repeat(32))), forget: () => Promise.resolve() },
    exists: () => true,
    target: () => Promise.resolve(succeed(target)),
    folder,
    notice: () => undefined,
  })
  synchronisation = synchroniseOne(() => Promise.resolve(succeed({ target })), http, cache)
}

async function close(): Promise<void> {
  await synchronisation.close()
  await cache.close()
}

async function synchronise(): Promise<string | undefined> {
  await synchronisation.start('e')
  await expect
    .poll(async () => (await synchronisation.state('e')).progress, { timeout: 60_000, interval: 20 })
    .toBeNull()
  return (await synchronisation.state('e')).last?.end
}

/** What the history has after a point: number of the deployment, kind, before and after. */
async function changesAfter(after: number | null): Promise<{ rows: unknown[][]; last: number }> {
  const request = { since: null, after, limit: 500 }
  const changes = await cache.ask('e', 'changes', { request })
  if (!changes.ok) throw new Error(changes.failure.message)
  const { deployments, last, cut } = changes.value
  expect(cut).toBe(false)
  const entries = deployments.flatMap((deployment) => deployment.entries)
  const rows = entries.map(({ id, kind, before, after }) => [Number(id.slice(-12)), kind, before, after])
  return { rows, last }
}

function pass(ms: number): void {
  now += ms
  vi.setSystemTime(now)
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  now = Date.UTC(2026, 5, 1)
  pass(0)
  isOut = false
  aheadMs = 0
  folder = temporaryFolder()
  server = createServer((request, response) => {
    if (isOut) return void response.destroy()
    const query = new URL(request.url ?? '/', 'http://service').searchParams
    const ids = query.get('deployment_ids')?.split(',')
    const all = ids
      ? ids.flatMap((id) => texts.get(Number(id.slice(-12))) ?? [])
      : [...texts.values()].reverse()
    const { resources, offset } = pageOf(all, query)
    const date = new Date(now + aheadMs).toUTCString()
    response.writeHead(200, { 'content-type': 'application/json', date })
    response.end(`{"resources":[${resources.join()}],"offset":${offset}}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  await close()
  server.closeAllConnections()
  server.close()
  vi.useRealTimers()
})

test(`${days} days of ${total} deployments over HTTP are in the history, and nothing else`, async () => {
  const resources = new Map(Array.from({ length: total }, (_, index) => [index, answered(index)]))
  texts = new Map([...resources].map(([index, resource]) => [index, JSON.stringify(resource)]))
  const set = (index: number, more: Record<string, unknown>): void => {
    const updated_at = new Date(now).toISOString()
    const resource = { ...(resources.get(index) ?? answered(index)), updated_at, ...more }
    resources.set(index, resource)
    texts.set(index, JSON.stringify(resource))
  }
  start()
  expect(await synchronise()).toBe('complete')
  let { rows, last } = await changesAfter(null)
  expect(rows).toEqual([])

  for (let day = 1; day <= days; day += 1) {
    pass(dayMs)
    const expected: unknown[][] = []
    // Another one percent changes each day. A stuck deployment changes once and stays so.
    for (let number = 0; number < total / 100; number += 1) {
      const index = (day * 100 + number * 7) % (total - 1_000)
      if (index === 7) continue
      const before = resources.get(index)?.latest_revision_id
      set(index, { latest_revision_id: `day-${day}` })
      expected.push([index, 'latest-revision', before, `day-${day}`])
    }
    if (day === 3) {
      expected.push([total - 1, 'status', resources.get(total - 1)?.status, 'AWAITING_DATABASE'])
      set(total - 1, { status: 'AWAITING_DATABASE' })
    }
    const flapping = resources.get(7)?.status === 'READY' ? 'UNKNOWN' : 'READY'
    expected.push([7, 'status', resources.get(7)?.status, flapping])
    set(7, { status: flapping })
    set(total + day, {})
    expected.push([total + day, 'appeared', null, answered(total + day).status])
    const gone = total - 500 + day
    texts.delete(gone)
    expected.push([gone, 'gone', answered(gone).status, null])
    if (day % 10 === 2) {
      await close()
      start()
    }
    if (day === 4) {
      isOut = true
      // It retries until it is cancelled, and nothing is marked as gone because of that.
      await synchronisation.start('e')
      await synchronisation.cancel('e')
      expect(await changesAfter(last)).toEqual({ rows: [], last })
      isOut = false
      pass(3_600_000)
    }
    expect(await synchronise()).toBe('complete')
    ;({ rows, last } = await changesAfter(last))
    const sorted = (some: unknown[][]): string[] => some.map((row) => JSON.stringify(row)).sort()
    expect(sorted(rows), `day ${day}`).toEqual(sorted(expected))
  }
  const state = await cache.ask('e', 'history-state', {})
  expect(state.ok && state.value.bytes).toBeLessThan(8 * 1024 ** 2)
})
