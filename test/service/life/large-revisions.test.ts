import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, startService } from '../../support/service/service-process'
import { send } from '../client'
import { ask, create, revisionsOf } from './requests'

// A page of the largest revisions that a request can make: some 60 MB.

const count = 60
const mebibyte = 1024 * 1024
let service: RunningService
/** Deployments with queued revisions: large ones, and as many small ones. */
let large: string
let small: string

async function fill(text: string): Promise<string> {
  const { id } = await create(service.url, 'repohost')
  const add = async (repo_ref: string): Promise<void> => {
    const body = { source_revision_config: { repo_ref } }
    expect((await ask(service.url, 'POST', `${id}/revisions`, body)).status).toBe(201)
  }
  for (let index = 0; index < count; index += 1) await add(`${index} ${text}`)
  await add('last')
  return id
}

beforeAll(async () => {
  service = await startService({ provisionMs: 3_600_000 })
  large = await fill('x'.repeat(1_000_000))
  small = await fill('x')
})
afterAll(() => service.dispose())

it('are listed completely, the newest first, by page and by status', async () => {
  const all = await revisionsOf(service.url, large, '?limit=100')
  const refs = all.map(({ source_revision_config: { repo_ref } }) => repo_ref!)
  const indices = Array.from({ length: count }, (_, index) => String(count - 1 - index))
  expect(refs.map((ref) => ref.split(' ')[0])).toEqual(['last', ...indices, 'main'])
  expect(refs.slice(1, -1).every((ref) => ref.length > 1_000_000)).toBe(true)
  expect(await revisionsOf(service.url, large, '?limit=3&offset=1')).toEqual(all.slice(1, 4))
  expect(await revisionsOf(service.url, large, '?status=AWAITING_BUILD')).toEqual(all.slice(-1))
})

it.runIf(process.platform === 'linux')('take little memory, however slowly a client reads them', async () => {
  const resident = (): number => {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
  }
  const before = resident()
  const page = `${service.url}/v2/deployments/${large}/revisions?limit=100`
  const requests = await Promise.all(
    Array.from(
      { length: 5 },
      () =>
        new Promise<{ destroy: () => void }>((resolve, reject) => {
          const request = get(page, (incoming) => {
            incoming.on('error', () => undefined)
            incoming.once('data', () => {
              incoming.pause()
              resolve(request)
            })
          }).once('error', reject)
        }),
    ),
  )
  // Other requests are answered, so everything that can be written without waiting is written.
  for (let index = 0; index < 20; index += 1) await send(`${service.url}/health`)
  expect(resident() - before).toBeLessThan(100 * mebibyte)
  for (const request of requests) request.destroy()
})

/** The time that a small change of a deployment takes, in milliseconds. */
async function changeTime(id: string): Promise<number> {
  const began = performance.now()
  const answer = await ask(service.url, 'PATCH', id, { secret_references: [] })
  expect(answer.status).toBe(200)
  return performance.now() - began
}

it("aren't read by a change of their deployment", async () => {
  // The minimum of several, alternating, because a busy machine may stop anything for a while. Reading them took about
  // eight times as long as the rest.
  const shortest = { small: Infinity, large: Infinity }
  const isQuick = (): boolean => shortest.large < 3 * shortest.small
  for (let round = 0; round < 20 || (round < 100 && !isQuick()); round += 1) {
    shortest.small = Math.min(shortest.small, await changeTime(small))
    shortest.large = Math.min(shortest.large, await changeTime(large))
  }
  expect(shortest.large).toBeLessThan(3 * shortest.small)
})
