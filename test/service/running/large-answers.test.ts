import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { residentMiB, type RunningService, startService } from '../../support/service/service-process'
import { ask, create, creation, list, type Page, post, revisionsOf, send } from '../../support/service/client'

// Pages of the largest deployments and revisions that requests can create: some 27 MB each.

const count = 30
let service: RunningService
/** A deployment with large revisions, all of them queued but one. */
let revised: string

beforeAll(async () => {
  service = await startService({ mode: 'cloud', provisionMs: 3_600_000 })
  revised = (await create(service.url, 'repohost')).id
  const text = 'x'.repeat(900_000)
  for (let index = 0; index < count; index += 1) {
    const body = { source_revision_config: { repo_ref: `${index} ${text}` } }
    expect((await ask(service.url, 'POST', `${revised}/revisions`, body)).status).toBe(201)
  }
  // The deployment has the latest ref, which is a small one.
  const last = { source_revision_config: { repo_ref: 'last' } }
  expect((await ask(service.url, 'POST', `${revised}/revisions`, last)).status).toBe(201)
  for (let index = 0; index < count; index += 1) {
    const config = { resource_spec: { labels: { text, index: String(index) } } }
    const { status } = await post(service.url, creation('internal_source', { source_config: config }))
    expect(status).toBe(201)
  }
})
afterAll(() => service.dispose())

const pages = () => ({
  deployments: `${service.url}/v2/deployments?limit=${count}`,
  revisions: `${service.url}/v2/deployments/${revised}/revisions?limit=100`,
})

/** Reads the first bytes of a page, and nothing more until `rest` is called. */
function beginPage(url: string): Promise<{ incoming: IncomingMessage; rest: () => Promise<string> }> {
  return new Promise((resolve, reject) => {
    get(url, (incoming) => {
      incoming.once('error', () => undefined)
      incoming.once('data', (first: Buffer) => {
        incoming.pause()
        const rest = async () => {
          const chunks = [first]
          for await (const chunk of incoming) chunks.push(chunk as Buffer)
          return Buffer.concat(chunks).toString()
        }
        resolve({ incoming, rest })
      })
    }).once('error', reject)
  })
}

it('a page is answered completely, in the order of the list, while others are answered', async () => {
  const { rest } = await beginPage(pages().deployments)
  let isWhole = false
  const whole = rest().finally(() => (isWhole = true))
  await send(`${service.url}/health`)
  expect(isWhole).toBe(false)
  const page = JSON.parse(await whole) as Page
  expect(page.offset).toBe(count)
  const indices = page.resources.map((each) => each.source_config.resource_spec?.labels?.['index'])
  expect(indices).toEqual(Array.from({ length: count }, (_, index) => String(count - 1 - index)))
})

it('revisions are listed completely, the newest first', async () => {
  const all = await revisionsOf(service.url, revised, '?limit=100')
  const refs = all.map(({ source_revision_config: { repo_ref } }) => repo_ref!)
  const indices = Array.from({ length: count }, (_, index) => String(count - 1 - index))
  expect(refs.map((ref) => ref.split(' ')[0])).toEqual(['last', ...indices, 'main'])
  expect(refs.slice(1, -1).every((ref) => ref.length > 900_000)).toBe(true)
})

it.runIf(process.platform === 'linux')(
  'pages take little memory, however slowly clients read them',
  async () => {
    for (const url of Object.values(pages())) {
      await list(service.url, { limit: 1 })
      const before = residentMiB(service)
      const begun = await Promise.all(Array.from({ length: 8 }, () => beginPage(url)))
      // Other requests are answered, so everything that can be written without waiting is written.
      for (let index = 0; index < 20; index += 1) await send(`${service.url}/health`)
      expect(residentMiB(service) - before).toBeLessThan(100)
      expect(await begun[0]!.rest()).toMatch(/\],"offset":\d+\}$/)
      for (const { incoming } of begun) incoming.destroy()
    }
    // Nor does the log have anything of clients that left.
    await send(`${service.url}/health?last`)
    await expect.poll(() => service.log()).toContain('/health?last')
    expect(service.log()).not.toMatch(/rror|\n\s+at /)
  },
)
