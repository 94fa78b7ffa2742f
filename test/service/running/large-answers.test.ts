import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, startService } from '../../support/service/service-process'
import { ask, create, creation, list, type Page, post, revisionsOf, send } from '../client'

// A page of the largest deployments that a request can create: some 90 MB.

const count = 100
const mebibyte = 1024 * 1024
let service: RunningService

beforeAll(async () => {
  service = await startService({ mode: 'cloud', provisionMs: 0 })
  const labels = { text: 'x'.repeat(900_000) }
  for (let index = 0; index < count; index += 1) {
    const config = { resource_spec: { labels: { ...labels, index } } }
    const { status } = await post(service.url, creation('internal_source', { source_config: config }))
    expect(status).toBe(201)
  }
})
afterAll(() => service.dispose())

/** Starts to read a page. `first` resolves with its first bytes, and nothing more is read until `rest` is called. */
function beginPage(): { first: Promise<void>; rest: () => Promise<string> } {
  let go = (): void => undefined
  let text: Promise<string> | undefined
  const first = new Promise<void>((resolve, reject) => {
    get(`${service.url}/v2/deployments?limit=${count}`, (incoming) => {
      const chunks: Buffer[] = []
      text = new Promise((done, failed) => {
        incoming.once('end', () => done(Buffer.concat(chunks).toString()))
        incoming.once('error', failed)
      })
      incoming.once('data', (chunk: Buffer) => {
        chunks.push(chunk)
        incoming.pause()
        go = () => {
          incoming.on('data', (more: Buffer) => chunks.push(more))
          incoming.resume()
        }
        resolve()
      })
    }).once('error', reject)
  })
  return {
    first,
    rest: () => {
      go()
      return text!
    },
  }
}

it('is answered completely, in the order of the list', async () => {
  const { first, rest } = beginPage()
  await first
  const page = JSON.parse(await rest()) as Page
  expect(page.offset).toBe(count)
  const indices = page.resources.map((each) => each.source_config.resource_spec?.labels?.['index'])
  expect(indices).toEqual(Array.from({ length: count }, (_, index) => count - 1 - index))
  expect(page.resources.every(({ status }) => status === 'READY')).toBe(true)
})

/** The longest time that another request took while a page was written, as a fraction of the time for the page. */
async function longestWait(): Promise<number> {
  const began = performance.now()
  const { first, rest } = beginPage()
  let isWhole = false
  const whole = first.then(rest).then(() => (isWhole = true))
  let longest = 0
  while (!isWhole) {
    const requestedAt = performance.now()
    await send(`${service.url}/health`)
    longest = Math.max(longest, performance.now() - requestedAt)
  }
  await whole
  return longest / (performance.now() - began)
}

it('does not block other requests while it is written', async () => {
  // The minimum of several, because a busy machine may stop anything for a while. A page that was read at once blocked
  // other requests for 0.43 to 0.73 of its time.
  const waits: number[] = []
  while (waits.length < 10 && !waits.some((wait) => wait < 0.3)) waits.push(await longestWait())
  expect(Math.min(...waits)).toBeLessThan(0.3)
})

it.runIf(process.platform === 'linux')('takes little memory, however slowly a client reads it', async () => {
  const resident = (): number => {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
  }
  await list(service.url, { limit: 1 })
  const before = resident()
  const pages = Array.from({ length: 5 }, beginPage)
  await Promise.all(pages.map(({ first }) => first))
  // Other requests are answered, so everything that can be written without waiting is written.
  for (let index = 0; index < 20; index += 1) await send(`${service.url}/health`)
  expect(resident() - before).toBeLessThan(100 * mebibyte)
  for (const { rest } of pages) expect((await rest()).endsWith(`],"offset":${count}}`)).toBe(true)
})

it('leaves nothing in the log when a client closes the connection in the middle', async () => {
  await new Promise<void>((resolve, reject) => {
    const outgoing = get(`${service.url}/v2/deployments?limit=${count}`, (incoming) => {
      incoming.once('error', () => undefined)
      incoming.once('data', () => outgoing.destroy())
    })
    outgoing.once('error', reject)
    outgoing.once('close', resolve)
  })
  await send(`${service.url}/health?last`)
  await expect.poll(() => service.log()).toContain('/health?last')
  expect(service.log()).not.toMatch(/rror|\n\s+at /)
})

describe('revisions', () => {
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

  it.runIf(process.platform === 'linux')(
    'take little memory, however slowly a client reads them',
    async () => {
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
    },
  )

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
})
