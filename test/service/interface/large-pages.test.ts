import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, startService } from '../../support/service/service-process'
import { creation, list, type Page, post, send } from '../client'

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
