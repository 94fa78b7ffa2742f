import { writeFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { makeAuthority } from '../../support/main/certificates'
import { testOf } from '../../support/service/disposed-services'
import { run, startService } from '../../support/service/service-here'
import { creation, detailOf, getWith, type Page, sendRaw } from '../../support/service/client'

// Ways to reach the service: below a path, under other names, from pages of other origins, over TLS, compressed.

const apiKey = 'the-key-of-these-tests'
const it = testOf(startService)

const ask = (url: string, headers: Record<string, string> = {}, options: RequestOptions = {}) =>
  getWith(url, { 'x-api-key': apiKey, ...headers }, options)

describe('a base path', () => {
  it('precedes every path, also in the document, and nothing is served outside it', async ({ started }) => {
    const { url } = await started({ sample: 3, args: ['--base-path', '/teams/a/'] })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/teams\/a$/)
    const { resources } = JSON.parse((await ask(`${url}/v2/deployments`)).body.toString()) as Page
    expect(resources).toHaveLength(3)
    for (const path of ['/health', '/ready', '/metrics', `/v2/deployments/${resources[0]!.id}`]) {
      expect((await ask(url + path)).status).toBe(200)
    }
    const document = JSON.parse((await ask(`${url}/openapi.json`)).body.toString()) as { servers: unknown }
    expect(document.servers).toEqual([{ url: '/teams/a' }])
    const made = await fetch(`${url}/v2/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(creation()),
    })
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: string }
    const address = await fetch(`${url}/v2/deployments/${id}/upload-url`, { method: 'POST' })
    const { upload_url } = (await address.json()) as { upload_url: string }
    expect(upload_url.startsWith(`${url}/uploads/`)).toBe(true)
    const uploading = { method: 'PUT', headers: { 'content-type': 'application/gzip' } }
    expect((await fetch(upload_url, { ...uploading, body: new Uint8Array(gzipSync('')) })).status).toBe(200)

    const { origin } = new URL(url)
    for (const path of ['/health', '/v2/deployments', '/teams/a', '/teams/b/health', '/teams/a/../health']) {
      const beside = await ask(origin, {}, { path })
      expect(beside.status, path).toBe(404)
    }
    expect(detailOf(await ask(`${origin}/v2/deployments`))).toBe('There is nothing at /v2/deployments.')
  })
})

describe('names of hosts', () => {
  it('are those of this machine on loopback, and the allowed ones', async ({ started }) => {
    const { url } = await started({
      args: ['--allowed-host', 'Deployments.example,other.example:8443', '--allowed-host', '[2001:db8::1]'],
    })
    const statusAs = async (host: string): Promise<number> => (await ask(`${url}/health`, { host })).status
    const { port } = new URL(url)
    const allowed = [
      `localhost:${port}`,
      'deployments.EXAMPLE',
      'deployments.example:8080',
      'other.example:8443',
      '[2001:db8::1]:1',
    ]
    for (const host of allowed) expect(await statusAs(host), host).toBe(200)
    const refused = [
      'other.example',
      'other.example:1',
      'deployments.example.evil',
      'evil.example',
      'localhost:1',
    ]
    for (const host of refused) expect(await statusAs(host), host).toBe(403)
  })

  it('are only the allowed ones in a network; health checks answer under any', async ({ started }) => {
    const { url } = await started({
      host: '0.0.0.0',
      apiKey,
      args: ['--allowed-host', 'deployments.example'],
    })
    const list = `${url.replace('0.0.0.0', '127.0.0.1')}/v2/deployments`
    expect((await ask(list, { host: 'deployments.example' })).status).toBe(200)
    const refused = await ask(list)
    expect(refused.status).toBe(403)
    expect(detailOf(refused)).toContain('answers only as deployments.example')
    for (const check of ['health', 'ready']) {
      expect((await ask(list.replace('v2/deployments', check))).status).toBe(200)
    }
  })
})

it('the host may be missing in a health check over HTTP/1.0, also on loopback', async ({ started }) => {
  const { url } = await started()
  for (const [head, status] of [
    ['GET /ready HTTP/1.0', 200],
    ['GET /health HTTP/1.0', 200],
    ['GET /health HTTP/1.0\r\nHost: evil.example', 403],
    ['GET /v2/deployments HTTP/1.0', 403],
  ] as const) {
    expect((await sendRaw(url, `${head}\r\nConnection: close\r\n\r\n`)).slice(9, 12), head).toBe(
      String(status),
    )
  }
})

describe('pages of other origins', () => {
  const origin = 'https://tools.example'

  it('may use the service if they alone are allowed, also on loopback, and see why they may not', async ({
    started,
  }) => {
    const { url } = await started({ apiKey, args: ['--cors-origin', origin] })
    const list = `${url}/v2/deployments`
    const preflight = await fetch(list, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type,x-api-key')
    for (const key of [apiKey, 'a-key-that-is-wrong-here']) {
      const answer = await ask(list, { origin, 'x-api-key': key })
      expect(answer.status).toBe(key === apiKey ? 200 : 401)
      expect(answer.headers['access-control-allow-origin']).toBe(origin)
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id')
      expect(answer.headers.vary).toContain('Origin')
    }
    const other = await ask(list, { origin: 'https://evil.example' })
    expect(other.status).toBe(403)
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })
})

it('answers are compressed with gzip in a network, for clients that accept it', async ({ started }) => {
  const { url } = await started({ host: '0.0.0.0', apiKey, sample: 60 })
  const list = `${url.replace('0.0.0.0', '127.0.0.1')}/v2/deployments?limit=50`
  const plain = await ask(list)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const answer = await ask(list, { 'accept-encoding': 'gzip, deflate, br' })
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.body.length).toBeLessThan(plain.body.length / 4)
  expect(gunzipSync(answer.body).equals(plain.body)).toBe(true)
  expect((await ask(list, { 'accept-encoding': 'identity' })).body.equals(plain.body)).toBe(true)
})

describe('TLS', () => {
  it('serves with a certificate, and ends without waiting for handshakes', async ({ folder, started }) => {
    const authority = await makeAuthority()
    const made = await authority.issue()
    const [cert, key] = [join(folder(), 'cert.pem'), join(folder(), 'key.pem')]
    writeFileSync(cert, made.pem)
    writeFileSync(key, made.key)
    const service = await started({ args: ['--tls-cert', cert, '--tls-key', key], sample: 3 })
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const { body } = await ask(`${service.url}/v2/deployments`, {}, { ca: authority.pem })
    expect((JSON.parse(body.toString()) as Page).resources).toHaveLength(3)
    const { hostname, port } = new URL(service.url)
    const silent = connect(Number(port), hostname).on('error', () => undefined)
    const closed = new Promise((resolve) => silent.resume().once('close', resolve))
    await new Promise((resolve) => silent.once('connect', resolve))
    silent.write(new Uint8Array([0x16, 0x03]))
    await service.stop()
    await closed
    expect(service.log()).not.toContain('PRIVATE')
  })

  it('refuses to start without a usable certificate', async ({ folder }) => {
    const [one, other] = await Promise.all([makeAuthority(), makeAuthority()])
    const place = folder()
    const [cert, key] = [join(place, 'cert.pem'), join(place, 'key.pem')]
    writeFileSync(cert, one.pem)
    writeFileSync(key, other.key)
    for (const file of [key, join(place, 'missing.pem')]) {
      const { code, stderr } = await run([
        ...['--mode', 'cloud', '--data', folder(), '--port', '0', '--tls-cert', cert, '--tls-key', file],
      ])
      expect(code).toBe(1)
      expect(stderr).toContain('Name a certificate and its own key')
      expect(stderr).not.toMatch(/PRIVATE|\n\s+at /)
    }
  })
})
