import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { headersOf, runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { residentMiB, startService as startProcess } from '../../support/service/service-process'
import {
  type Answer,
  ask,
  create,
  creation,
  type ErrorBody,
  exchange,
  expectRefused,
  nobody,
  post,
  remove,
  revisionsOf,
  send,
  settled,
} from '../../support/service/client'

// An extension: source archives, as public clients upload them.

interface Address {
  upload_url: string
  object_path: string
}

const it = testOf(startService)
const inProcess = testOf(startProcess)
const archive = gzipSync('the source of an agent')
const gzip = { 'content-type': 'application/gzip' }
let service: ServiceHere

beforeAll(async () => {
  service = await startService({ provisionMs: 200 })
})
afterAll(() => service.dispose())

/** Ends the service, and starts it again on its data. */
async function restart(): Promise<void> {
  const ended = service
  await ended.stop()
  const again = await startService({ data: ended.data, provisionMs: 200 })
  service = { ...again, dispose: () => again.stop().then(() => ended.dispose()) }
}

const addressFor = async (base: string, id: string): Promise<Address> => {
  const { status, body } = await ask<Address>(base, 'POST', `${id}/upload-url`)
  expect(status).toBe(200)
  return body
}

const upload = (url: string, body: Uint8Array = archive, headers: Record<string, string> = gzip) =>
  send<ErrorBody>(url, { method: 'PUT', body: new Uint8Array(body), headers })

async function uploaded(base: string, id: string): Promise<string> {
  const { upload_url, object_path } = await addressFor(base, id)
  expect((await upload(upload_url)).status).toBe(200)
  return object_path
}

/** The file of an archive. */
const fileOf = ({ tenant_id }: { tenant_id: string }, path: string, data = service.data): string =>
  join(data, 'archives', tenant_id, path.split('/').slice(1).join('.'))

const filesIn = (name: string, data = service.data): string[] => {
  const folder = join(data, 'archives', name)
  return existsSync(folder) ? readdirSync(folder) : []
}

const partials = (): string[] => filesIn('partial')

const naming = (path: string) => ({ source_revision_config: { source_tarball_path: path } })

/** Sends the beginning of a raw upload. Returns the answer, or an empty text if the client gives up. */
function sendRaw(url: string, headers: string, body: string | Uint8Array, givesUp = false): Promise<string> {
  const { hostname, port, host, pathname, search } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(text))
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`)
    socket.write(body, () => {
      if (givesUp) setTimeout(() => socket.destroy(), 100)
    })
  })
}

describe('an upload', () => {
  it('is stored completely, readable by its owner only, and makes a revision', async () => {
    const made = await create(service.url)
    const { upload_url, object_path } = await addressFor(service.url, made.id)
    expect(upload_url.startsWith(`${service.url}/uploads/`)).toBe(true)
    const { status, body } = await upload(upload_url)
    expect(status).toBe(200)
    expect(body).toEqual({ object_path, bytes: archive.length })
    expect(readFileSync(fileOf(made, object_path)).equals(archive)).toBe(true)
    expect(partials()).toEqual([])

    const changed = await ask(service.url, 'PATCH', made.id, {
      revision_source: 'internal_source',
      ...naming(object_path),
    })
    expect(changed.status).toBe(200)
    expect(changed.body.source_revision_config.source_tarball_path).toBe(object_path)
    const [first] = await revisionsOf(service.url, made.id)
    expect(first!.source_revision_config.source_tarball_path).toBe(object_path)
    expect((await settled(service.url, made.id)).active_revision_id).toBe(first!.id)
  })

  it('is accepted once, also if several arrive together, and can be repeated if it was cut off', async () => {
    const made = await create(service.url)
    const { upload_url, object_path } = await addressFor(service.url, made.id)
    const length = `Content-Type: application/gzip\r\nContent-Length: ${archive.length + 5}\r\n`
    expect(await sendRaw(upload_url, length, archive, true)).toBe('')
    await expect.poll(partials).toEqual([])
    expect(existsSync(fileOf(made, object_path))).toBe(false)

    const bodies = Array.from({ length: 5 }, (_, index) => gzipSync(`attempt ${index}`))
    const answers = await Promise.all(bodies.map((body) => upload(upload_url, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(readFileSync(fileOf(made, object_path)).equals(bodies[winner]!)).toBe(true)
    expect((await upload(upload_url)).body.detail).toContain('used already')
    expect(partials()).toEqual([])
  })

  it('must be gzip, with a Content-Length', async () => {
    const made = await create(service.url)
    const { upload_url, object_path } = await addressFor(service.url, made.id)
    const refusals: [Promise<Answer<ErrorBody>>, number, string][] = [
      [upload(upload_url, archive, { 'content-type': 'application/json' }), 415, 'application/gzip'],
      [upload(upload_url, Buffer.from('PK not gzip')), 400, "isn't a gzip archive"],
      [upload(upload_url, Buffer.from([0x1f])), 400, "isn't a gzip archive"],
      [upload(upload_url, Buffer.alloc(0)), 400, "isn't a gzip archive"],
    ]
    for (const [answer, status, detail] of refusals) {
      const { body, ...rest } = await answer
      expect([rest.status, body.detail]).toEqual([status, expect.stringContaining(detail)])
    }
    const type = 'Content-Type: application/gzip\r\n'
    expect(await sendRaw(upload_url, `${type}Content-Length: 209715201\r\n`, '')).toMatch(
      /^HTTP\/1\.1 413 [^]*200 MiB/,
    )
    expect(await sendRaw(upload_url, `${type}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 411 /,
    )
    expect(existsSync(fileOf(made, object_path))).toBe(false)
    expect(partials()).toEqual([])
  })

  it('is refused at the maximum number or size of archives, and leaves nothing behind', async ({
    started,
  }) => {
    const bounded = await started({ args: ['--archive-count', '2', '--archive-mib', '1'] })
    const { id, tenant_id } = await create(bounded.url)
    const send = async (bytes: number) => {
      const { upload_url } = await addressFor(bounded.url, id)
      return upload(upload_url, Buffer.concat([archive, Buffer.alloc(bytes)]))
    }
    await expectRefused(send(1024 * 1024), 507, 'no room')
    expect((await send(1_000)).status).toBe(200)
    expect((await send(1_000)).status).toBe(200)
    await expectRefused(send(0), 507, 'as many')
    const folder = join(bounded.data, 'archives')
    expect(readdirSync(join(folder, 'partial'))).toEqual([])
    expect(readdirSync(join(folder, tenant_id))).toHaveLength(2)
    expect((await post(bounded.url, creation())).status).toBe(201)
  })
})

// What a database has no part in.
describe.skipIf(process.env.SLIPWAY_TEST_POSTGRES)('an upload to a process', () => {
  inProcess(
    'that is killed in the middle leaves nothing that counts, and eventually nothing',
    async ({ started }) => {
      const killed = await started({ provisionMs: 200 })
      const left = (): string[] => filesIn('partial', killed.data)
      const made = await create(killed.url)
      const { upload_url, object_path } = await addressFor(killed.url, made.id)
      const headers = `Content-Type: application/gzip\r\nContent-Length: ${archive.length + 5}\r\n`
      const sending = sendRaw(upload_url, headers, archive)
      await expect.poll(left).toHaveLength(1)
      const [partial] = left()
      await killed.kill()
      expect(await sending).toBe('')
      const start = { data: killed.data, port: Number(new URL(killed.url).port) }
      const again = await started(start)
      expect((await ask(again.url, 'PATCH', made.id, naming(object_path))).status).toBe(400)
      // It might be an upload to another instance, so it stays for as long as an upload may take.
      expect(left()).toEqual([partial])
      expect((await upload(upload_url)).status).toBe(200)
      const longAgo = new Date(Date.now() - 3_600_000)
      utimesSync(join(killed.data, 'archives', 'partial', partial!), longAgo, longAgo)
      await again.kill()
      await started(start)
      await expect.poll(left).toEqual([])
      expect(readFileSync(fileOf(made, object_path, killed.data)).equals(archive)).toBe(true)
    },
  )

  inProcess.runIf(process.platform === 'linux')(
    'of many bytes is streamed to the disk',
    async ({ started }) => {
      const own = await started()
      const made = await create(own.url)
      const { upload_url, object_path } = await addressFor(own.url, made.id)
      const bytes = Buffer.concat([archive, Buffer.alloc(64 * 1024 * 1024, 7)])
      const before = residentMiB(own)
      expect((await upload(upload_url, bytes)).status).toBe(200)
      expect(residentMiB(own) - before).toBeLessThan(50)
      expect(readFileSync(fileOf(made, object_path, own.data)).equals(bytes)).toBe(true)
    },
  )
})

describe('an address', () => {
  it('that was tampered with, or has expired, is refused', async () => {
    const made = await create(service.url)
    const other = await create(service.url)
    const { upload_url } = await addressFor(service.url, made.id)
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(upload_url)
      change(url)
      return url.href
    }
    const wrong = [
      upload_url.replace(made.id, other.id),
      upload_url.replace(made.tenant_id, nobody()),
      upload_url.replace(/[^/]{36}\?/, `${nobody()}?`),
      changed(({ searchParams }) => searchParams.set('expires', '9999999999999')),
      changed(({ searchParams }) => searchParams.set('signature', 'x')),
      changed(({ searchParams }) => searchParams.set('signature', '')),
      changed(({ searchParams }) => searchParams.set('signature', 'A'.repeat(43))),
    ]
    for (const url of wrong) {
      const { status, body } = await upload(url)
      expect([url, status, body.detail]).toEqual([url, 403, expect.stringContaining('is wrong')])
    }
    for (const url of [
      changed(({ searchParams }) => searchParams.delete('signature')),
      changed(({ searchParams }) => searchParams.set('expires', 'soon')),
      upload_url.replace(made.id, 'x'),
    ]) {
      expect((await upload(url)).status).toBe(422)
    }
    for (const path of ['/uploads/', '/uploads/../health', `/uploads/..%2f..%2f${made.id}`]) {
      const raw = await sendRaw(`${service.url}${path}`, 'Content-Length: 0\r\n', '')
      expect(raw).toMatch(/^HTTP\/1\.1 40[45] /)
    }
    for (const { id, tenant_id } of [made, other])
      expect(filesIn(tenant_id).filter((name) => name.startsWith(id))).toEqual([])
  })

  it('is issued only for a deployment that takes archives', async () => {
    const docker = await create(service.url, 'internal_docker')
    await expectRefused(ask(service.url, 'POST', `${docker.id}/upload-url`), 400, "'internal_source'")
    expect((await ask(service.url, 'POST', `${nobody()}/upload-url`)).status).toBe(404)
    expect((await ask(service.url, 'POST', 'x/upload-url')).status).toBe(422)
  })

  it('has the host under which the client reached the service', async () => {
    const { id } = await create(service.url)
    const requestAddress = (headers: Record<string, string>) =>
      send<Address>(`${service.url}/v2/deployments/${id}/upload-url`, { method: 'POST', headers })
    const https = await requestAddress({ 'x-forwarded-proto': 'https' })
    expect(https.body.upload_url.startsWith(service.url.replace('http:', 'https:'))).toBe(true)
    const other = await requestAddress({ 'x-forwarded-proto': 'javascript' })
    expect(other.body.upload_url.startsWith(service.url)).toBe(true)
  })

  it("isn't in the log", async () => {
    const { id } = await create(service.url)
    const { upload_url } = await addressFor(service.url, id)
    await upload(upload_url)
    await expect.poll(() => service.log()).toContain('signature=... 200')
    // Names may be encoded differently.
    const other = await addressFor(service.url, id)
    expect((await upload(other.upload_url.replace('signature=', '%73ignature='))).status).toBe(200)
    const line = `${new URL(other.upload_url).pathname}?`
    await expect.poll(() => service.log().split(line)[1]).toContain('signature=... 200')
    for (const address of [upload_url, other.upload_url]) {
      expect(service.log()).not.toContain(new URL(address).searchParams.get('signature')!)
    }
  })

  it('is valid after a restart, and for another instance', async () => {
    const made = await create(service.url)
    const { upload_url, object_path } = await addressFor(service.url, made.id)
    const { url } = service
    await restart()
    expect((await upload(upload_url.replace(url, service.url))).status).toBe(200)
    expect(readFileSync(fileOf(made, object_path)).equals(archive)).toBe(true)
  })
})

describe('an archive', () => {
  it('that a request names must exist', async () => {
    const { id } = await create(service.url)
    const path = await uploaded(service.url, id)
    const wrong = [
      path.replace(id, nobody()),
      path.replace(/[^/]{36}\.tar/, `${nobody()}.tar`),
      'archives/../../etc/passwd',
      `archives/${id}/../${id}/x.tar.gz`,
      `${path}\0`,
      path.toUpperCase().replace('ARCHIVES', 'archives'),
      `archives/${'x'.repeat(10_000)}`,
    ]
    for (const name of wrong) {
      const answers = [
        await ask<ErrorBody>(service.url, 'PATCH', id, naming(name)),
        await ask<ErrorBody>(service.url, 'POST', `${id}/revisions`, naming(name)),
        await post<ErrorBody>(service.url, creation('internal_source', naming(name))),
      ]
      for (const { status, body } of answers) {
        expect([name.slice(0, 80), status]).toEqual([name.slice(0, 80), 400])
        expect(body.detail).toContain('there is no archive')
        expect(body.detail.length).toBeLessThan(300)
      }
    }
    // Paths outside archives/ aren't checked.
    expect((await ask(service.url, 'PATCH', id, naming('uploads/agent.tar.gz'))).status).toBe(200)
    expect((await ask(service.url, 'PATCH', nobody(), naming(path))).status).toBe(404)
  })

  it('can be used for another deployment, and stays for it', async () => {
    const first = await create(service.url)
    const path = await uploaded(service.url, first.id)
    const { status, body: second } = await post(service.url, creation('internal_source', naming(path)))
    expect(status).toBe(201)
    expect(second.source_revision_config.source_tarball_path).toBe(path)
    const taken = await post<ErrorBody>(
      service.url,
      creation('internal_source', { ...naming(path), name: second.name }),
    )
    expect(taken.status).toBe(409)

    expect(await remove(service.url, first.id)).toBe(204)
    const isGone = async () => (await ask(service.url, 'GET', first.id)).status
    await expect.poll(isGone, { timeout: 20_000 }).toBe(404)
    expect((await ask(service.url, 'POST', `${second.id}/revisions`, naming(path))).status).toBe(201)
    expect(readFileSync(fileOf(first, path)).equals(archive)).toBe(true)
    const several = `${service.url}/v2/deployments?deployment_ids=${second.id}`
    expect((await exchange(several, { method: 'DELETE' })).response.status).toBe(200)
    await expect.poll(() => existsSync(fileOf(first, path)), { timeout: 20_000 }).toBe(false)
    expect((await post(service.url, creation('internal_source', naming(path)))).status).toBe(400)
  })

  it("isn't accepted for a deployment that is being deleted", async ({ started }) => {
    const slow = await started({ provisionMs: 3_600_000 })
    const { id } = await create(slow.url)
    const { upload_url } = await addressFor(slow.url, id)
    expect(await remove(slow.url, id)).toBe(204)
    expect((await upload(upload_url)).status).toBe(404)
    expect((await ask(slow.url, 'POST', `${id}/upload-url`)).status).toBe(409)
  })

  it('is removed at the next start if the service ended before, and only with its deployment', async () => {
    const made = await create(service.url)
    const remaining = await create(service.url)
    const [gone, stays] = [await uploaded(service.url, made.id), await uploaded(service.url, remaining.id)]
    expect(await remove(service.url, made.id)).toBe(204)
    const removedAt = Date.now()
    await service.stop()
    expect(existsSync(fileOf(made, gone))).toBe(true)
    // Until the deletion is due.
    await expect.poll(() => Date.now()).toBeGreaterThan(removedAt + 200)
    await restart()
    await expect.poll(() => existsSync(fileOf(made, gone)), { timeout: 20_000 }).toBe(false)
    expect(existsSync(fileOf(remaining, stays))).toBe(true)
    expect(service.log()).not.toContain("can't be removed")
  })
})

describe('tenants', () => {
  it("have their own archives, and can't name those of others", async () => {
    const tenants = [randomUUID(), randomUUID()]
    const as = (tenant: string) => ({ 'content-type': 'application/json', 'x-tenant-id': tenant })
    const made = await Promise.all(
      tenants.map((tenant) => post(service.url, creation(), { headers: as(tenant) })),
    )
    const [mine, others] = made.map(({ body }) => body)
    const addresses = `${service.url}/v2/deployments/${mine!.id}/upload-url`
    const { body } = await send<Address>(addresses, { method: 'POST', headers: as(tenants[0]!) })
    expect((await upload(body.upload_url)).status).toBe(200)
    expect(existsSync(fileOf(mine!, body.object_path))).toBe(true)

    const change = {
      method: 'PATCH',
      headers: as(tenants[1]!),
      body: JSON.stringify(naming(body.object_path)),
    }
    const refused = await send<ErrorBody>(`${service.url}/v2/deployments/${others!.id}`, change)
    expect(refused.status).toBe(400)
    const creationOf = creation('internal_source', naming(body.object_path))
    expect((await post(service.url, creationOf, { headers: as(tenants[1]!) })).status).toBe(400)
    expect((await post(service.url, creationOf, { headers: as(tenants[0]!) })).status).toBe(201)
  })

  it('the audit log says who got an address; a key with the role for reading gets none', async ({
    started,
  }) => {
    const keyed = await started({ provisionMs: 200 })
    const writer = await headersOf(keyed.data, 'ci', '--role', 'create')
    const reader = await headersOf(keyed.data, 'board', '--role', 'read')
    const { body } = await post(keyed.url, creation(), { headers: writer })
    const url = `${keyed.url}/v2/deployments/${body.id}/upload-url`
    expect((await send(url, { method: 'POST' })).status).toBe(401)
    expect((await send(url, { method: 'POST', headers: reader })).status).toBe(403)
    const address = await send<Address>(url, { method: 'POST', headers: writer })
    expect((await upload(address.body.upload_url)).status).toBe(200)
    const { stdout } = await runCommand(keyed.data, 'audit')
    const entries = stdout.split('\n').filter((line) => line.includes('upload-url') && line.includes('done'))
    expect(entries).toHaveLength(1)
    expect(JSON.parse(entries[0]!)).toMatchObject({ by: 'ci', id: body.id })
  })
})
