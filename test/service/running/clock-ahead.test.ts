import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { type RunningService, type ServiceStart, startService } from '../../support/service/service-process'
import { creation, post, send } from '../client'
import { ask, create, remove, revisionsOf } from '../life/requests'

// A service whose clock is days ahead, as after a reboot without a network, and then corrected.

const hourMs = 3_600_000
const days = 2

/** Starts Node with a clock that is ahead. */
const ahead = `globalThis.Date = class extends Date {
  constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])) }
  static now() { return super.now() + ${days * 24 * hourMs} }
}`
const withClockAhead = ['env', `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(ahead)}`]

const services: RunningService[] = []
afterEach(async () => {
  // The second service has the data of the first.
  for (const service of services.splice(0).reverse()) await service.dispose()
})

async function started(start: ServiceStart): Promise<RunningService> {
  const service = await startService({ provisionMs: hourMs, ...start })
  services.push(service)
  return service
}

it.skipIf(process.platform === 'win32')(
  'deployments that were made or deleted meanwhile are settled once the clock is right',
  async () => {
    const first = await started({ within: withClockAhead })
    const made = await create(first.url)
    const gone = await create(first.url)
    expect(Date.parse(made.created_at)).toBeGreaterThan(Date.now() + (days * 24 - 1) * hourMs)
    expect((await ask(first.url, 'POST', `${made.id}/revisions`, {})).status).toBe(201)
    const address = await ask<{ upload_url: string }>(first.url, 'POST', `${gone.id}/upload-url`)
    const headers = { 'content-type': 'application/gzip' }
    const body = new Uint8Array(gzipSync('an agent'))
    expect((await send(address.body.upload_url, { method: 'PUT', headers, body })).status).toBe(200)
    const archives = join(first.data, 'archives', gone.tenant_id, gone.id)
    expect(existsSync(archives)).toBe(true)
    expect(await remove(first.url, gone.id)).toBe(204)
    await first.stop()

    const { url } = await started({ data: first.data })
    const read = async () => (await ask(url, 'GET', made.id)).body
    await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('READY')
    expect((await read()).active_revision_id).toBe(made.latest_revision_id)
    expect(Date.parse((await read()).updated_at)).toBeLessThan(Date.now() + hourMs)
    const deleted = async () => (await ask(url, 'GET', gone.id)).status
    await expect.poll(deleted, { timeout: 20_000 }).toBe(404)
    await expect.poll(() => existsSync(archives), { timeout: 20_000 }).toBe(false)
    // The queued revision is being deployed, and a new one follows it.
    const statuses = async () => (await revisionsOf(url, made.id)).map(({ status }) => status)
    expect((await statuses())[0]).not.toBe('QUEUED')
    expect((await ask(url, 'POST', `${made.id}/revisions`, {})).status).toBe(201)
    expect((await statuses()).slice(0, 3)).toEqual(['QUEUED', expect.any(String), 'DEPLOYED'])
    expect((await post(url, creation())).status).toBe(201)
  },
)
