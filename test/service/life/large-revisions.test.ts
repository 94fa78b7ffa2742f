import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, startService } from '../../support/service-process'
import { send } from '../client'
import { ask, create, revisionsOf } from './requests'

// A page of the largest revisions that a request can make: some 60 MB.

const count = 60
const mebibyte = 1024 * 1024
let service: RunningService
let deployment: string

beforeAll(async () => {
  service = await startService({ provisionMs: 3_600_000 })
  deployment = (await create(service.url, 'repohost')).id
  const large = 'x'.repeat(1_000_000)
  for (let index = 0; index < count; index += 1) {
    const body = { source_revision_config: { repo_ref: `${index} ${large}` } }
    expect((await ask(service.url, 'POST', `${deployment}/revisions`, body)).status).toBe(201)
  }
}, 120_000)
afterAll(() => service.dispose())

it('are listed whole, the newest first, by page and by status', async () => {
  const all = await revisionsOf(service.url, deployment, '?limit=100')
  const refs = all.map(({ source_revision_config: { repo_ref } }) => repo_ref!)
  const indices = Array.from({ length: count }, (_, index) => String(count - 1 - index))
  expect(refs.map((ref) => ref.split(' ')[0])).toEqual([...indices, 'main'])
  expect(refs.slice(0, -1).every((ref) => ref.length > 1_000_000)).toBe(true)
  expect(await revisionsOf(service.url, deployment, '?limit=3&offset=1')).toEqual(all.slice(1, 4))
  expect(await revisionsOf(service.url, deployment, '?status=AWAITING_BUILD')).toEqual(all.slice(-1))
})

it.runIf(process.platform === 'linux')('take little memory, however slowly a client reads them', async () => {
  const resident = (): number => {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
  }
  const before = resident()
  const page = `${service.url}/v2/deployments/${deployment}/revisions?limit=100`
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
  // Others are answered, so whatever was to be written at once is written.
  for (let index = 0; index < 20; index += 1) await send(`${service.url}/health`)
  expect(resident() - before).toBeLessThan(100 * mebibyte)
  for (const request of requests) request.destroy()
})
