import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AnsweredRequest,
  answerChecker,
  type OpenApiDocument,
} from '../../support/service/described-answers'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { creation, exchange, post, send } from '../client'

// `exchange` checks every answer that the other tests get against the document. These tests show that the check finds
// faults, and check the document itself.

const apiKey = 'a-key-for-tests-only'

let open: ServiceHere
let keyed: ServiceHere
let document: OpenApiDocument & {
  security: unknown
  components: { schemas: Record<string, Falsifiable>; securitySchemes: unknown }
}

interface Falsifiable {
  properties: Record<string, object>
  required: string[]
}

beforeAll(async () => {
  ;[open, keyed] = await Promise.all([startService({ sample: 3 }), startService({ apiKey })])
  document = (await send<typeof document>(`${open.url}/openapi.json`)).body
})
afterAll(() => Promise.all([open.dispose(), keyed.dispose()]))

/** The problems that Redocly's strictest rules find in a document. */
async function lint(text: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Some operations are documented only to say that they aren't offered.
    rules: { 'operation-2xx-response': 'off' },
  })
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

describe('the document', () => {
  it("has nothing that Redocly's linter objects to, with a key and without one", async () => {
    expect(await lint(JSON.stringify(document))).toEqual([])
    const other = await send(`${keyed.url}/openapi.json`)
    expect(await lint(JSON.stringify(other.body))).toEqual([])
    expect(await lint(JSON.stringify({ ...document, servers: [] }))).toHaveLength(1)
  })

  it('documents what each operation answers, or that it is not offered', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        const statuses = Object.keys(responses)
        expect([path, method, statuses.some((status) => /^2|501/.test(status))]).toEqual([path, method, true])
      }
    }
  })

  it('requires a key if and only if the service does', async () => {
    expect(document.security).toEqual([])
    const { body } = await send<typeof document>(`${keyed.url}/openapi.json`)
    expect(body.security).toEqual([{ apiKey: [] }, { bearer: [] }])
    expect(body.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    })
    for (const [path, operations] of Object.entries(body.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const { status } = await exchange(keyed.url + path.replace(/\{\w+\}/g, crypto.randomUUID()), {
          method: method.toUpperCase(),
        }).then(({ response }) => response)
        const isOpen = 'security' in operation
        expect([path, method, status === 401]).toEqual([path, method, !isOpen])
      }
    }
  })

  it('lists each operation once, and says which are an extension', () => {
    const operations = Object.values(document.paths).flatMap((each) => Object.values(each)) as unknown as {
      operationId: string
      tags: string[]
    }[]
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const ofInterface = operations.filter(({ tags }) => tags.includes('Interface'))
    expect(ofInterface.map(({ operationId }) => operationId).sort()).toEqual([
      'createDeployment',
      'listDeployments',
      'listRepositories',
    ])
  })
})

describe('the check of answers', () => {
  const path = '/v2/deployments'

  async function answered(method: string, init: RequestInit = {}): Promise<AnsweredRequest> {
    const { response, text } = await exchange(open.url + path, { method, ...init })
    return { method, path, status: response.status, headers: response.headers, text }
  }

  /** The errors found in an answer after a change of the document. */
  function findings(answer: AnsweredRequest, falsify: (copy: typeof document) => void): string[] {
    const copy = structuredClone(document)
    falsify(copy)
    return answerChecker(copy)(answer)
  }

  const schemaOf = (copy: typeof document, name: string): Falsifiable => copy.components.schemas[name]!

  it('finds every kind of error in a document', async () => {
    await post(open.url, creation())
    const page = await answered('GET')
    expect(findings(page, () => undefined)).toEqual([])
    const falsifications: [name: string, falsify: (copy: typeof document) => void][] = [
      ['a type', (copy) => (schemaOf(copy, 'DeploymentPage').properties.offset = { type: 'string' })],
      ['a member missing in answers', (copy) => schemaOf(copy, 'Deployment').required.push('owner')],
      ['a member missing in the document', (copy) => delete schemaOf(copy, 'Deployment').properties.status],
      [
        'a format',
        (copy) => (schemaOf(copy, 'Deployment').properties.name = { type: 'string', format: 'uuid' }),
      ],
      ['a value', (copy) => (schemaOf(copy, 'Deployment').properties.source = { enum: ['elsewhere'] })],
      ['a status', (copy) => delete copy.paths[path]!.get!.responses['200']],
      ['a content type', (copy) => (copy.paths[path]!.get!.responses['200']!.content = { 'text/plain': {} })],
      ['no body', (copy) => delete copy.paths[path]!.get!.responses['200']!.content],
      ['a header', (copy) => (copy.paths[path]!.get!.responses['200']!.headers = { 'X-Total': {} })],
      ['an operation', (copy) => delete copy.paths[path]!.get],
      ['a path', (copy) => delete copy.paths[path]],
    ]
    for (const [name, falsify] of falsifications)
      expect([name, findings(page, falsify).length > 0]).toEqual([name, true])
  })

  it('finds wrong error answers, including those outside of every operation', async () => {
    const invalid = await answered('POST', { headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(invalid.status).toBe(422)
    const falsified = findings(invalid, (copy) => schemaOf(copy, 'Invalid').required.push('code'))
    expect(falsified).toHaveLength(1)
    const other = await answered('PUT')
    expect(other.status).toBe(405)
    expect(
      findings(other, (copy) => (schemaOf(copy, 'Error').properties.detail = { type: 'number' })),
    ).toHaveLength(1)
    expect(answerChecker(document)({ ...other, status: 200 })).toHaveLength(1)
    expect(answerChecker(document)({ ...other, headers: new Headers() })).toHaveLength(1)
  })
})
