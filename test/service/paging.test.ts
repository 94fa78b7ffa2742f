import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nextPage } from '@contract'
import { type RunningService, startService } from '../support/service-process'
import type { Page } from './client'

const total = 10_000
const limits = Array.from({ length: 100 }, (_, index) => index + 1)
const atOnce = 4

let service: RunningService
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: total })
})
afterAll(async () => {
  agent.destroy()
  await service.dispose()
})

/** Lists a page over a connection that stays open: fetch would take several times as long for these many. */
function page(limit: number, offset: number): Promise<Page> {
  return new Promise((resolve, reject) => {
    const outgoing = get(
      `${service.url}/v2/deployments?limit=${limit}&offset=${offset}`,
      { agent },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Page))
      },
    )
    outgoing.on('error', reject)
  })
}

/** Pages to the end as Slipway does, and gives the identifiers in the order in which they came. */
async function pageThrough(limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ;) {
    const { resources, offset: returnedOffset } = await page(limit, offset)
    for (const { id } of resources) ids.push(id)
    const next = nextPage({ limit, offset, received: resources.length, returnedOffset })
    if (next.end !== null) return ids
    offset = next.offset
  }
}

it(
  'gives each of 10,000 deployments exactly once, in one order, with every limit from 1 to 100',
  async () => {
    const expected = await pageThrough(100)
    expect(new Set(expected).size).toBe(total)
    const left = [...limits]
    const wrong: number[] = []
    const work = async (): Promise<void> => {
      for (let limit = left.shift(); limit !== undefined; limit = left.shift()) {
        const ids = await pageThrough(limit)
        if (ids.length !== total || ids.some((id, index) => id !== expected[index])) wrong.push(limit)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    expect(wrong).toEqual([])
  },
  // 52,000 requests and 2 GB of JSON.
  600_000,
)
