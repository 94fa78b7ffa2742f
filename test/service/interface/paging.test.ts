import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nextPage } from '@contract'
import { type ServiceHere, startService } from '../../support/service/service-here'
import type { Page } from '../client'

const total = 500
const limits = [7, 33, 100]
const atOnce = 4

let service: ServiceHere
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: total })
})
afterAll(async () => {
  agent.destroy()
  await service.dispose()
})

/** Lists a page over a persistent connection. For this many, fetch would take several times as long. */
function pageText(limit: number, offset: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = get(
      `${service.url}/v2/deployments?limit=${limit}&offset=${offset}`,
      { agent },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => resolve(Buffer.concat(chunks).toString()))
      },
    )
    outgoing.on('error', reject)
  })
}

/** Pages one by one to the end, as Slipway does. Returns the text of each deployment. */
async function eachDeployment(): Promise<string[]> {
  const texts: string[] = []
  for (let offset = 0; ;) {
    const { resources, offset: returnedOffset } = JSON.parse(await pageText(1, offset)) as Page
    texts.push(...resources.map((deployment) => JSON.stringify(deployment)))
    const next = nextPage({ limit: 1, offset, received: resources.length, returnedOffset })
    if (next.end !== null) return texts
    offset = next.offset
  }
}

/** Pages to the end by the returned offset. Returns whether every page was exactly as expected. */
async function pagesAreRight(expected: string[], limit: number): Promise<boolean> {
  for (let offset = 0; ;) {
    const items = expected.slice(offset, offset + limit)
    const text = await pageText(limit, offset)
    if (text !== `{"resources":[${items.join()}],"offset":${offset + items.length}}`) return false
    offset += items.length
    if (items.length < limit) return offset === total
  }
}

it('gives each of hundreds of deployments exactly once, in one order, with any limit', async () => {
  const expected = await eachDeployment()
  expect(expected).toHaveLength(total)
  expect(new Set(expected.map((text) => (JSON.parse(text) as { id: string }).id)).size).toBe(total)
  const left = [...limits]
  const wrong: number[] = []
  const work = async (): Promise<void> => {
    for (let limit = left.shift(); limit !== undefined; limit = left.shift()) {
      if (!(await pagesAreRight(expected, limit))) wrong.push(limit)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(wrong).toEqual([])
})
