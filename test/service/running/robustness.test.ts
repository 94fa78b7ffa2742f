import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequests } from '../../support/properties/arbitraries'
import { type OpenApiDocument, resolve, type Schema } from '../../support/service/described-answers'
import { type RunningService, startService } from '../../support/service/service-process'
import { exchange, list, listAll, post, revisionsOf, send } from '../../support/service/client'

// The service withstands any request that its OpenAPI document allows or almost allows, any bytes, and many
// simultaneous connections. After each, it must still answer as before.

let service: RunningService

beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: 20, provisionMs: 0 })
})
afterAll(() => service.dispose())

/** Expects a status of the interface, never an internal error. */
function expectSound({ status, body }: { status: number; body: unknown }): void {
  expect(status).toBeLessThan(500)
  expect(JSON.stringify(body)).not.toMatch(/SQLITE|\bat \S+:\d+:\d+|node:internal/)
}

async function expectAlive(): Promise<void> {
  expect((await list(service.url, { limit: 1 })).resources).toHaveLength(1)
}

/** Values that a schema of the OpenAPI document describes, and sometimes one that it doesn't. */
function valuesOf(schema: Schema | undefined, document: OpenApiDocument, depth = 0): fc.Arbitrary<unknown> {
  if (schema === undefined || depth > 6) return oddities
  if (schema.$ref !== undefined) return valuesOf(resolve(schema, document), document, depth)
  const inner = (part: Schema | undefined): fc.Arbitrary<unknown> => valuesOf(part, document, depth + 1)
  const sound = (): fc.Arbitrary<unknown> => {
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map(inner))
    const types = [schema.type ?? 'null'].flat()
    return fc.oneof(
      ...types.map((type): fc.Arbitrary<unknown> => {
        if (type === 'object') {
          const members = Object.entries(schema.properties ?? {}).map(([name, part]) => [name, inner(part)])
          return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
            requiredKeys: [],
          })
        }
        if (type === 'array') return fc.array(inner(schema.items), { maxLength: 3 })
        if (type === 'integer') return fc.integer()
        if (type === 'number') return fc.double()
        if (type === 'boolean') return fc.boolean()
        return type === 'null' ? fc.constant(null) : texts
      }),
    )
  }
  return fc.oneof({ weight: 9, arbitrary: sound() }, { weight: 1, arbitrary: oddities })
}

/** Texts with a meaning in SQL, a file system, LIKE or a terminal. */
const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.uuid(),
  fc.constantFrom(
    "'; DROP TABLE deployments; --",
    "' OR '1'='1",
    '%',
    '_%_',
    '\\',
    '../../../../etc/passwd',
    'file:///etc/passwd',
    '\u0000',
    '\ud800',
    '\u001b[2J',
    'x'.repeat(10_000),
  ),
)

const oddities = fc.oneof(texts, fc.jsonValue(), fc.constantFrom(null, -1, 1e308, [], {}, true))

describe('requests generated from the OpenAPI document', () => {
  let document: OpenApiDocument

  beforeAll(async () => {
    document = (await send<OpenApiDocument>(`${service.url}/openapi.json`)).body
  })

  it('to list are answered, whatever the parameters', async () => {
    const parameters = document.paths['/v2/deployments']!.get!.parameters!.filter(
      (parameter) => parameter.in === 'query',
    )
    expect(parameters).toHaveLength(12)
    const queries = fc.record(
      Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, document)])),
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
        const search = new URLSearchParams(entries).toString()
        expectSound(await send(`${service.url}/v2/deployments?${search}`))
      }),
    )
    await expectAlive()
  })

  it('to create are answered, and what is created can be listed', async () => {
    const schema = document.paths['/v2/deployments']!.post!.requestBody!.content!['application/json']!.schema
    const before = (await listAll(service.url)).length
    let created = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(valuesOf(schema, document), createRequests), async (body) => {
        const answer = await post<unknown>(service.url, body)
        expectSound(answer)
        if (answer.status === 201) created += 1
      }),
    )
    expect(created).toBeGreaterThan(0)
    expect(await listAll(service.url)).toHaveLength(before + created)
  })

  it('to change deployments and their revisions are answered, without losing anything', async () => {
    const path = '/v2/deployments/{deployment_id}'
    const bodyOf = (at: string, method: string) =>
      valuesOf(document.paths[at]![method]!.requestBody!.content!['application/json']!.schema, document)
    const before = await listAll(service.url)
    const idsOf = async (id: string): Promise<string[]> =>
      (await revisionsOf(service.url, id, '?limit=100')).map((revision) => revision.id)
    const change = fc.tuple(fc.constantFrom('PATCH'), bodyOf(path, 'patch'))
    const revise = fc.tuple(fc.constantFrom('POST'), bodyOf(`${path}/revisions`, 'post'))
    const statuses = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.oneof(change, revise), fc.nat(before.length - 1), async ([method, body], index) => {
        const { id } = before[index]!
        const known = await idsOf(id)
        const url = `${service.url}/v2/deployments/${id}${method === 'POST' ? '/revisions' : ''}`
        const headers = { 'content-type': 'application/json' }
        const answer = await send<unknown>(url, { method, headers, body: JSON.stringify(body) })
        expectSound(answer)
        statuses.add(`${method} ${answer.status}`)
        const now = await idsOf(id)
        expect(now.slice(-known.length)).toEqual(known.slice(0, 100))
        if (method === 'POST') expect(now.length - known.length).toBe(answer.status === 201 ? 1 : 0)
      }),
    )
    for (const expected of ['PATCH 200', 'POST 201']) expect(statuses).toContain(expected)
    expect((await listAll(service.url)).map(({ id, name }) => [id, name])).toEqual(
      before.map(({ id, name }) => [id, name]),
    )
  })

  it('about single deployments are answered, whatever the path and the query', async () => {
    const segment = fc
      .oneof(texts, fc.uuid())
      .map((text) => encodeURIComponent(Buffer.from(text).toString()) || '-')
    const methods = fc.constantFrom('GET', 'DELETE', 'PATCH', 'POST')
    const ends = fc.constantFrom(
      '',
      '/revisions',
      '/revisions/ID',
      '/revisions/ID/redeploy',
      '/revisions/ID/interrupt',
    )
    const before = (await listAll(service.url)).length
    await fc.assert(
      fc.asyncProperty(segment, segment, methods, ends, async (id, other, method, end) => {
        const path = `/v2/deployments/${id}${end.replace('ID', other)}?limit=${other}&status=${id}`
        const { response, text } = await exchange(service.url + path, { method })
        expectSound({ status: response.status, body: text })
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (ids) => {
        const query = ids.map((id) => `deployment_ids=${id}`).join('&')
        expectSound(await send(`${service.url}/v2/deployments?${query}`, { method: 'DELETE' }))
      }),
    )
    expect(await listAll(service.url)).toHaveLength(before)
  })
})

/** Sends bytes and ends its own side. Gives what is answered until the service has closed the connection. */
function sendBytes(bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    // An error only means that the other side closed it.
    socket.on('error', () => undefined).once('close', () => resolve(text))
  })
}

it('raw bytes are answered with 4xx or not at all', async () => {
  const starts = ['', 'GET ', 'POST /v2/deployments HTTP/1.1\r\n', 'GET /health HTTP/1.1\r\nHost: x\r\n']
  const bytes = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 400 }))
  await fc.assert(
    fc.asyncProperty(bytes, async ([start, rest]) => {
      const answer = await sendBytes(Buffer.concat([Buffer.from(start), Buffer.from(rest)]))
      if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    }),
  )
  await expectAlive()
})

it.runIf(process.platform === 'linux')("a client that is refused can't keep its connection", async () => {
  const { hostname, port } = new URL(service.url)
  const openFiles = (): number => readdirSync(`/proc/${service.child.pid}/fd`).length
  const before = openFiles()
  const clients = await Promise.all(
    Array.from(
      { length: 50 },
      () =>
        new Promise<Socket>((resolve) => {
          // It sees that the service has ended its side, and doesn't end its own.
          const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
          client.on('error', () => undefined)
          client.resume().once('end', () => resolve(client))
          client.write('this is not HTTP\r\n\r\n')
        }),
    ),
  )
  await expect.poll(openFiles, { timeout: 20_000 }).toBeLessThan(before + 25)
  for (const client of clients) client.destroy()
})
