import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import {
  availableSources,
  environmentModes,
  sampleLeftoverTracingProject,
  secretLimits,
  sources,
} from '@contract'
import { type ServiceHere, startService } from '../../support/service/service-here'
import {
  creation,
  type ErrorBody,
  expectRefused,
  type InvalidBody,
  list,
  listAll,
  post,
} from '../../support/service/client'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const mebibyte = 1024 * 1024
const it = testOf(startService)

let services: Record<(typeof environmentModes)[number], ServiceHere>
let cloud: string
let selfHosted: string

beforeAll(async () => {
  services = {
    cloud: await startService({ mode: 'cloud', provisionMs: 3_600_000 }),
    'self-hosted': await startService({ mode: 'self-hosted' }),
  }
  cloud = services.cloud.url
  selfHosted = services['self-hosted'].url
})
afterAll(() => Promise.all(Object.values(services).map((service) => service.dispose())))

describe('a creation', () => {
  it('answers 201 with the whole deployment, as the list has it afterwards', async () => {
    const before = Date.now()
    const request = creation('repohost', {
      source_config: {
        integration_id: randomUUID(),
        repo_url: 'https://github.com/northwind/agent',
        build_on_push: true,
        install_command: 'npm ci',
        build_command: '',
        deployment_type: 'prod',
        resource_spec: {
          cpu: 0.5,
          cpu_limit: 1,
          min_scale: 0,
          labels: { team: 'a' },
          sidecars: [{ name: 's' }],
        },
        listener_config: { k8s_namespace: 'agents' },
      },
      secrets: [
        { name: 'TOKEN', value: 'very-secret-value' },
        { name: 'EMPTY', value: '' },
      ],
    })
    const { status, body } = await post(cloud, request)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(uuid) as string,
      name: request.name,
      source: 'repohost',
      source_config: { ...request.source_config, custom_url: null, listener_id: null },
      source_revision_config: {
        repo_ref: 'main',
        graph_config_path: 'agent.json',
        image_uri: null,
        source_tarball_path: null,
        repo_commit_sha: null,
      },
      secrets: [
        { name: 'TOKEN', value: '' },
        { name: 'EMPTY', value: '' },
      ],
      secret_references: null,
      tenant_id: expect.stringMatching(uuid) as string,
      created_at: expect.any(String) as string,
      updated_at: body.created_at,
      status: 'AWAITING_DATABASE',
      latest_revision_id: expect.stringMatching(uuid) as string,
      active_revision_id: null,
      image_version: null,
    })
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(body.created_at)).toBeLessThanOrEqual(Date.now())
    expect((await list(cloud, { deployment_ids: body.id })).resources).toEqual([body])
  })

  it('comes first in the list, the latest first', async () => {
    const requests = Array.from({ length: 4 }, () => creation())
    for (const each of requests) await post(cloud, each)
    const { resources } = await list(cloud, { limit: 4 })
    expect(resources.map(({ name }) => name)).toEqual(requests.map(({ name }) => name).reverse())
  })

  it.each(environmentModes.flatMap((mode) => sources.map((source) => [source, mode] as const)))(
    'from %s in a %s environment follows the availability of sources',
    async (source, mode) => {
      const { status, body } = await post<ErrorBody>(services[mode].url, creation(source))
      if (availableSources(mode).includes(source)) {
        expect(status).toBe(201)
      } else {
        expect(status).toBe(400)
        const needed = mode === 'cloud' ? 'self-hosted' : 'cloud'
        expect(body.detail).toContain(`available only in ${needed} environments`)
      }
    },
  )

  it("ignores unknown members at every level, and doesn't return them", async () => {
    const request = creation('internal_source')
    const { status, body } = await post(cloud, {
      ...request,
      status: 'READY',
      id: randomUUID(),
      colour: 'red',
      source_config: {
        colour: 'red',
        resource_spec: { cpu: 1, colour: 'red', volumes: [{ name: 'v', x: 1 }] },
      },
      source_revision_config: { repo_commit_sha: 'abc' },
      secrets: [{ name: 'A', value: 'b', colour: 'red' }],
    })
    expect(status).toBe(201)
    expect(body.status).toBe('AWAITING_DATABASE')
    expect(body.source_config.resource_spec).toEqual({ cpu: 1, volumes: [{ name: 'v' }] })
    expect(body.source_revision_config.repo_commit_sha).toBeNull()
    expect(JSON.stringify(body)).not.toContain('colour')
  })

  it('accepts null for every nullable member', async () => {
    const { status, body } = await post(cloud, {
      name: `nulls-${randomUUID()}`,
      source: 'internal_template',
      source_config: {
        integration_id: null,
        repo_url: null,
        build_on_push: null,
        custom_url: null,
        resource_spec: null,
        listener_id: null,
        listener_config: null,
        install_command: null,
        build_command: null,
        deployment_type: null,
      },
      source_revision_config: {
        repo_ref: null,
        graph_config_path: null,
        image_uri: null,
        source_tarball_path: null,
      },
      secrets: [],
      secret_references: null,
    })
    expect(status).toBe(201)
    expect(body.source_config).not.toHaveProperty('deployment_type')
  })

  it('keeps free-form objects and numbers exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        ),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        async (labels, cpu) => {
          const spec = { labels, annotations: labels, cpu: cpu === 0 ? 0 : cpu }
          const { status, body } = await post(
            cloud,
            creation('internal_source', { source_config: { resource_spec: spec } }),
          )
          expect(status).toBe(201)
          expect(body.source_config.resource_spec).toEqual(spec)
          const { resources } = await list(cloud, { deployment_ids: body.id })
          expect(resources[0]!.source_config.resource_spec).toEqual(spec)
        },
      ),
    )
  })

  it('has identifiers in lower case, whatever case they were sent in', async () => {
    const [integration, listener] = [randomUUID(), randomUUID()]
    const request = creation('repohost')
    const { status, body } = await post(cloud, {
      ...request,
      source_config: {
        ...request.source_config,
        integration_id: integration.toUpperCase(),
        listener_id: listener.toUpperCase(),
      },
    })
    expect(status).toBe(201)
    expect(body.source_config).toMatchObject({ integration_id: integration, listener_id: listener })
  })

  it('accepts any name without blanks at its ends, and finds it again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), async (text) => {
        const name = `a${text} ${randomUUID()}`
        const { status, body } = await post(cloud, creation('internal_source', { name }))
        expect(status).toBe(201)
        expect(body.name).toBe(name)
        const { resources } = await list(cloud, { name_contains: name })
        expect(resources.map((each) => each.name)).toEqual([name])
      }),
    )
  })
})

describe('rules', () => {
  it('refuses secret references for sources other than external images', async () => {
    const references = [{ name: 'A', secret_name: 'b', secret_key: 'c' }]
    const refused = await post<ErrorBody>(
      cloud,
      creation('internal_source', { secret_references: references }),
    )
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain('external_docker')
    const empty = await post(cloud, creation('internal_source', { secret_references: [] }))
    expect(empty.status).toBe(201)
    expect(empty.body.secret_references).toBeNull()
    const taken = await post(selfHosted, creation('external_docker', { secret_references: references }))
    expect(taken.body.secret_references).toEqual(references)
  })

  const repohost = creation('repohost')

  it.each([
    [
      'repohost',
      [
        'source_config.integration_id',
        'source_config.repo_url',
        'source_revision_config.repo_ref',
        'source_revision_config.graph_config_path',
      ],
    ],
    ['external_docker', ['source_config.resource_spec', 'source_revision_config.image_uri']],
  ] as const)('names all members at once that a creation from %s lacks', async (source, members) => {
    const nothing = { ...creation(source), source_config: {}, source_revision_config: {} }
    const { status, body } = await post<ErrorBody>(source === 'repohost' ? cloud : selfHosted, nothing)
    expect(status).toBe(400)
    for (const member of members) {
      expect(body.detail).toContain(`${member} is required for source "${source}".`)
    }
  })

  it('refuses building on push of a tag, and a custom URL for sources with their own', async () => {
    const tag = {
      ...repohost,
      source_config: { ...repohost.source_config, build_on_push: true },
      source_revision_config: { ...repohost.source_revision_config, repo_ref: 'refs/tags/v1' },
    }
    expect((await post<ErrorBody>(cloud, tag)).body.detail).toContain('build_on_push')
    const url = creation('internal_docker', { source_config: { custom_url: 'https://a.example' } })
    expect((await post<ErrorBody>(cloud, url)).body.detail).toBe(
      'source_config.custom_url: A custom URL can be set only for source "external_docker".',
    )
    const own = creation('external_docker', {
      source_config: { resource_spec: {}, custom_url: 'https://a.example' },
    })
    expect((await post(selfHosted, own)).body.source_config.custom_url).toBe('https://a.example')
  })

  it('answers 409 to the name of an existing deployment, and leaves it unchanged', async () => {
    const first = await post(cloud, creation())
    await expectRefused(
      post(cloud, creation('internal_docker', { name: first.body.name })),
      409,
      `deployment named "${first.body.name}"`,
    )
    const { resources } = await list(cloud, { name_contains: first.body.name })
    expect(resources).toEqual([first.body])
  })

  it('answers 201 only once to many simultaneous requests for a name', async () => {
    const request = creation()
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(cloud, request)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 409)])
  })

  it('answers 409 to a name that only a tracing project has', async ({ started }) => {
    const own = await started({ mode: 'cloud', sample: 3 })
    expect((await listAll(own.url, { name_contains: sampleLeftoverTracingProject })).length).toBe(0)
    const request = creation('internal_source', { name: sampleLeftoverTracingProject })
    await expectRefused(post(own.url, request), 409, 'tracing project')
  })
})

describe('the shape of the body', () => {
  const good = creation('internal_source')
  const config = (source_config: object) => ({ source_config })
  const spec = (resource_spec: object) => config({ resource_spec })
  const inSpec = (member: string) => ['source_config', 'resource_spec', member]

  it.each<[what: string, changes: object, path: (string | number)[], type: string]>([
    ['a missing member', { secrets: undefined }, ['secrets'], 'missing'],
    ['a wrong type', { name: 1 }, ['name'], 'string_type'],
    ['an empty name', { name: '' }, ['name'], 'string_too_short'],
    ['a name of blanks', { name: ' \u3000\u200b' }, ['name'], 'value_error'],
    ['a blank before a name', { name: ' demo' }, ['name'], 'value_error'],
    ['a name with a control sequence', { name: 'demo\u009b2J' }, ['name'], 'value_error'],
    ['a control character at the end of a name', { name: 'demo\u009b' }, ['name'], 'value_error'],
    ['half a character in a name', { name: 'demo\ud800' }, ['name'], 'value_error'],
    ['too long a name', { name: 'x'.repeat(1_001) }, ['name'], 'less_than_equal'],
    [
      'two secrets of one name',
      { secrets: ['A', 'B', 'A'].map((name) => ({ name, value: '' })) },
      ['secrets', 2, 'name'],
      'value_error',
    ],
    ['an unknown source', { source: 'github' }, ['source'], 'enum'],
    ['null for an object', { source_config: null }, ['source_config'], 'dict_type'],
    ['no UUID', config({ integration_id: 'x' }), ['source_config', 'integration_id'], 'uuid_parsing'],
    ['text as flag', config({ build_on_push: 'yes' }), ['source_config', 'build_on_push'], 'bool_type'],
    ['an object for a list', { secrets: {} }, ['secrets'], 'list_type'],
    ['half a replica', spec({ min_scale: 0.5 }), inSpec('min_scale'), 'int_type'],
    ['negative memory', spec({ memory_mb: -1 }), inSpec('memory_mb'), 'greater_than_equal'],
    ['a request above its limit', spec({ cpu: 2, cpu_limit: 1 }), inSpec('cpu'), 'value_error'],
  ])('is refused with 422 for %s', async (_what, changes, path, type) => {
    const { status, body } = await post<InvalidBody>(cloud, { ...good, ...changes })
    expect(status).toBe(422)
    expect(body.detail).toHaveLength(1)
    expect(body.detail[0]).toMatchObject({ loc: ['body', ...path], type })
    expect(body.detail[0]!.msg).not.toBe('')
  })

  it('accepts a name of 1,000 characters', async () => {
    const { status } = await post(cloud, { ...good, name: randomUUID().padEnd(1_000, 'x') })
    expect(status).toBe(201)
  })

  const withLabels = (labels: string): string =>
    JSON.stringify({ ...good, ...spec({ labels: 0 }) }).replace('"labels":0', `"labels":${labels}`)

  it.each<[what: string, body: unknown, type: string, words: string]>([
    ['a list', [1, 2], 'dict_type', 'input'],
    ['null', 'null', 'dict_type', 'input'],
    // Unit tests have the other numbers.
    [
      'a number that would change',
      withLabels('{"9e999":[9007199254740993]}'),
      'value_error',
      '9007199254740993 would become 9007199254740992',
    ],
    ['a number that is out of range', withLabels('[1e400]'), 'value_error', '1e400 is out of range'],
    ['too many secrets', { ...good, secrets: Array(125_000).fill(1) }, 'value_error', '5000 items'],
    [
      'too many levels',
      withLabels(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
      'value_error',
      'nested',
    ],
    ['a lost member', withLabels('{"__proto__":"x"}'), 'value_error', '__proto__'],
    ['a lost member that is escaped', withLabels('{"\\u005f_proto__":"x"}'), 'value_error', '__proto__'],
  ])('is refused as a whole for %s', async (_what, request, type, words) => {
    const { status, body } = await post<InvalidBody>(cloud, request)
    expect(status).toBe(422)
    expect(body.detail).toHaveLength(1)
    expect(body.detail[0]).toMatchObject({ loc: ['body'], type })
    expect(body.detail[0]!.msg).toContain(words)
  })

  it.each(['', '{', '{"name":', 'name=a', '{"name": "a",}', '\u0000'])(
    "is refused with 400 if it isn't JSON: %j",
    async (text) => {
      const { status, body } = await post<ErrorBody>(cloud, text)
      expect(status).toBe(400)
      expect(body.detail).toMatch(/JSON/)
    },
  )

  it('is JSON by its header, and not compressed', async () => {
    const text = Buffer.from(JSON.stringify(good))
    const refused = async (headers: Record<string, string>, words: string, body = text) => {
      const answer = post(cloud, '', { headers, body: new Uint8Array(body) })
      await expectRefused(answer, 415, words)
      return (await answer).headers.get('accept-encoding')
    }
    await refused({}, 'application/json')
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/problem+json',
    ]) {
      await refused({ 'content-type': type }, 'application/json')
    }
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      expect(await refused(headers, `(Content-Encoding: ${encoding})`, gzipSync(text))).toBe('identity')
    }
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      expect((await post(cloud, creation(), { headers: { 'content-type': type } })).status).toBe(201)
    }
  })
})

it.each([
  ['a byte that begins no character', [0xff]],
  ['half a character', [0xe2, 0x82]],
  ['three quarters of one', [0xf0, 0x9f, 0x98]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
])("a body that isn't UTF-8 is refused: %s", async (_what, bytes) => {
  const request = creation('internal_source', { name: `test-${randomUUID()}-?` })
  const [before, after] = JSON.stringify(request).split('?')
  const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)])
  const { status, body: answer } = await post<ErrorBody>(cloud, '', { body })
  expect([status, answer.detail]).toEqual([400, 'The body must be JSON in UTF-8, but is not UTF-8.'])
  expect((await list(cloud, { name_contains: request.name.slice(0, -1) })).resources).toEqual([])
})

describe('the size of the body', () => {
  const sized = (bytes: number): string => {
    const names = Array.from({ length: 9 }, (_, index) => `A${index}`)
    const request = creation('internal_source', { secrets: names.map((name) => ({ name, value: '' })) })
    let left = bytes - JSON.stringify(request).length
    for (const secret of request.secrets) {
      // A single value can't be that long.
      secret.value = 'x'.repeat(Math.min(left, secretLimits.valueLength))
      left -= secret.value.length
    }
    return JSON.stringify(request)
  }

  it('may be exactly 1 MiB, but not a byte more', async () => {
    expect((await post(cloud, sized(mebibyte))).status).toBe(201)
    await expectRefused(post(cloud, sized(mebibyte + 1)), 413, '1 MiB')
  })

  it('is also limited without an announced length, before all of it has arrived', async () => {
    expect(await sendInPieces(cloud, [sized(mebibyte)])).toBe(201)
    expect(await sendInPieces(cloud, [sized(mebibyte + 1)])).toBe(413)
    // It doesn't end.
    expect(
      await sendInPieces(cloud, ['{"name":"', ...Array<string>(20).fill('x'.repeat(60_000)), null]),
    ).toBe(413)
  })
})

/** Posts a body in chunks, without Content-Length; with null for the last one, it stays incomplete. Gives the status. */
function sendInPieces(base: string, pieces: readonly (string | null)[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const outgoing = request(`${base}/v2/deployments`, { method: 'POST', headers }, (incoming) => {
      resolve(incoming.statusCode)
      outgoing
        .off('error', reject)
        .on('error', () => undefined)
        .destroy()
    }).on('error', reject)
    for (const piece of pieces) if (piece !== null) outgoing.write(piece)
    if (!pieces.includes(null)) outgoing.end()
  })
}
