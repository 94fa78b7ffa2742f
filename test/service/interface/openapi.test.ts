import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type OpenApiDocument, resolve, type Schema } from '../../support/service/described-answers'
import { testOf } from '../../support/service/disposed-services'
import {
  deploymentSchema,
  deploymentStatuses,
  deploymentTypes,
  listQuerySchema,
  requestSchemas,
  sources,
} from '@contract'
import { repositoryAnswerSchema } from '../../../electron/service/api/schemas'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { exchange, send } from '../../support/service/client'
import { createConfig, lintFromString } from '@redocly/openapi-core'

const it = testOf(startService)
const repositoriesPath = '/v1/integrations/forge/repohost/{integration_id}/repos'
const deploymentPath = '/v2/deployments/{deployment_id}'
/** What Slipway reads of a deployment. */
const deploymentFields = Object.keys(deploymentSchema.shape).sort()
/** Members that an answer has only if they were given. */
const furtherFields = ['agent', 'is_preview']
const { createRequest, ...parts } = requestSchemas
const membersOf = ({ shape }: { shape: object }): string[] => Object.keys(shape).sort()

let service: ServiceHere
let document: OpenApiDocument

beforeAll(async () => {
  service = await startService()
  document = (await send<OpenApiDocument>(`${service.url}/openapi.json`)).body
})
afterAll(() => service.dispose())

const member = (schema: Schema, ...path: string[]): Schema =>
  path.reduce(
    (at, name) => {
      const next = name === '[]' ? at.items : at.properties?.[name]
      expect(next, path.join('.')).toBeDefined()
      return resolve(next, document)
    },
    resolve(schema, document),
  )

const answer = (path: string, method: string, status: number): Schema =>
  resolve(document.paths[path]![method]!.responses[status]!.content!['application/json']!.schema, document)

const names = (schema: Schema): string[] => Object.keys(schema.properties ?? {}).sort()

describe('the OpenAPI document', () => {
  it('has the operations of the interface, its own, and the others as an extension', () => {
    const tagged = (tag: string): string[] =>
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { tags }]) =>
          tags.includes(tag) ? [`${method} ${path}`] : [],
        ),
      )
    expect(tagged('Interface').sort()).toEqual(
      [`get ${repositoriesPath}`, 'get /v2/deployments', 'post /v2/deployments'].sort(),
    )
    expect(tagged('Service').sort()).toEqual(
      ['/health', '/metrics', '/openapi.json', '/ready'].map((path) => `get ${path}`),
    )
    const revisions = `${deploymentPath}/revisions`
    expect(tagged('Extension').sort()).toEqual(
      [
        `get ${deploymentPath}`,
        `patch ${deploymentPath}`,
        `delete ${deploymentPath}`,
        'delete /v2/deployments',
        `get ${revisions}`,
        `post ${revisions}`,
        `get ${revisions}/{revision_id}`,
        ...['redeploy', 'interrupt', 'interruption'].map(
          (action) => `post ${revisions}/{revision_id}/${action}`,
        ),
        `post ${deploymentPath}/upload-url`,
        `get ${revisions}/{revision_id}/logs`,
        'get /v2/deployment-logs',
        'get /v1/integrations/forge/repohost/install',
        ...['revisions/{revision_id}/build_logs', 'revisions/{revision_id}/deploy_logs', 'deploy_logs'].map(
          (path) => `post /v1/projects/{deployment_id}/${path}`,
        ),
        'put /uploads/{tenant_id}/{deployment_id}/{archive_id}',
        // Not offered.
        `post ${deploymentPath}/push-token`,
        'get /v2/deployments/free-count',
        ...['get', 'post'].map((method) => `${method} /v2/listeners`),
        ...['get', 'patch', 'delete'].map((method) => `${method} /v2/listeners/{listener_id}`),
      ].sort(),
    )
    for (const method of ['get', 'patch']) {
      expect(answer(deploymentPath, method, 200)).toEqual(answer('/v2/deployments', 'post', 201))
    }
  })

  it('has all query parameters of the list, all optional', () => {
    const { parameters: all = [] } = document.paths['/v2/deployments']!.get!
    const parameters = all.filter(({ name }) => name !== 'X-Tenant-Id')
    expect(all).toHaveLength(parameters.length + 1)
    expect(parameters.map(({ name }) => name).sort()).toEqual(
      [...membersOf(listQuerySchema), 'agent_id', 'agent_environment', 'is_preview'].sort(),
    )
    expect(parameters.every((parameter) => parameter.in === 'query' && !parameter.required)).toBe(true)
    const schema = (name: string) => parameters.find((parameter) => parameter.name === name)!.schema
    expect(schema('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
    expect(schema('offset')).toMatchObject({ type: 'integer', minimum: 0, default: 0 })
    expect(schema('remote_reconciled').type).toContain('boolean')
    expect(schema('deployment_type').enum).toEqual(expect.arrayContaining([...deploymentTypes]))
  })

  it('describes pages and deployments to the last member', () => {
    const page = answer('/v2/deployments', 'get', 200)
    expect(page.required!.sort()).toEqual(['offset', 'resources'])
    const deployment = member(page, 'resources', '[]')
    expect(deployment).toEqual(answer('/v2/deployments', 'post', 201))
    expect(names(deployment)).toEqual([...deploymentFields, ...furtherFields].sort())
    expect(deployment.required!.sort()).toEqual(deploymentFields)
    expect(member(deployment, 'status').enum).toEqual([...deploymentStatuses])
    expect(member(deployment, 'source').enum).toEqual([...sources])
    expect(member(deployment, 'id').format).toBe('uuid')
    expect(member(deployment, 'created_at').format).toBe('date-time')
    expect(member(deployment, 'active_revision_id').type).toEqual(['string', 'null'])
    const { source_config, source_revision_config } = deploymentSchema.shape
    expect(names(member(deployment, 'source_config'))).toEqual(membersOf(source_config.unwrap()))
    expect(names(member(deployment, 'source_config', 'listener_config'))).toEqual(['k8s_namespace'])
    expect(names(member(deployment, 'source_revision_config'))).toEqual(
      membersOf(source_revision_config.unwrap()),
    )
    expect(names(member(deployment, 'secrets', '[]'))).toEqual(membersOf(parts.secret))
    expect(names(member(deployment, 'secret_references', '[]'))).toEqual(membersOf(parts.secretReference))
  })

  it('describes the creation and its resource spec to the last member', () => {
    const { requestBody } = document.paths['/v2/deployments']!.post!
    expect(requestBody!.required).toBe(true)
    const body = resolve(requestBody!.content!['application/json']!.schema, document)
    expect(names(body)).toEqual([...Object.keys(createRequest.shape), ...furtherFields].sort())
    expect(body.required!.sort()).toEqual(
      membersOf(createRequest).filter((name) => name !== 'secret_references'),
    )
    expect(names(member(body, 'source_config'))).toEqual(membersOf(parts.sourceConfig))
    expect(member(body, 'source_config').required ?? []).toEqual([])
    expect(member(body, 'source_revision_config').properties).not.toHaveProperty('repo_commit_sha')
    const spec = member(body, 'source_config', 'resource_spec')
    expect(names(spec)).toEqual(membersOf(parts.resourceSpec))
    expect(names(member(spec, 'volumes', '[]'))).toEqual(membersOf(parts.volume))
    expect(names(member(spec, 'volume_mounts', '[]'))).toEqual(membersOf(parts.volumeMount))
    for (const containers of ['init_containers', 'sidecars']) {
      expect(names(member(spec, containers, '[]'))).toEqual(membersOf(parts.container))
      expect(names(member(spec, containers, '[]', 'resources'))).toEqual(['limits', 'requests'])
    }
  })

  it('describes repositories and errors', () => {
    const repository = resolve(answer(repositoriesPath, 'get', 200).items, document)
    const fields = membersOf(repositoryAnswerSchema)
    expect(names(repository)).toEqual(fields)
    expect(repository.required!.sort()).toEqual(fields)
    expect(member(repository, 'id').type).toBe('integer')
    const statuses = (path: string, method: string): string[] =>
      Object.keys(document.paths[path]![method]!.responses)
    const common = ['400', '403', '408', '417', '431', '500']
    const every = [...common, '401', '422', '429', '503']
    expect(statuses('/v2/deployments', 'post').sort()).toEqual(
      ['201', ...every, '409', '413', '415', '507'].sort(),
    )
    expect(statuses('/v2/deployments', 'get').sort()).toEqual(['200', ...every].sort())
    expect(statuses(deploymentPath, 'get').sort()).toEqual(['200', ...every, '404'].sort())
    expect(statuses(repositoriesPath, 'get').sort()).toEqual(['200', ...every, '404'].sort())
    expect(statuses('/health', 'get').sort()).toEqual(['200', ...common].sort())
    expect(statuses('/ready', 'get').sort()).toEqual(['200', ...common, '503'].sort())
    expect(member(answer('/v2/deployments', 'post', 409), 'detail').type).toBe('string')
    expect(names(member(answer('/v2/deployments', 'post', 422), 'detail', '[]'))).toEqual([
      'loc',
      'msg',
      'type',
    ])
  })

  it('documents the limits', () => {
    for (const limit of ['405', '32 KiB', '15 minutes', '1 MiB', '100 levels', '5000 items', 'double']) {
      expect(document.info.description).toContain(limit)
    }
    const body = document.paths['/v2/deployments']!.post!.requestBody!.content!['application/json']!.schema
    expect(member(body, 'name')).toMatchObject({ minLength: 1, maxLength: 1_000 })
  })
})

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

// `exchange` checks every answer that the other tests get against the document.
it('has nothing that a linter objects to, and requires a key if and only if the service does', async ({
  started,
}) => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.security).toEqual([])
  expect(await lint(JSON.stringify(document))).toEqual([])
  expect(await lint(JSON.stringify({ ...document, servers: [] }))).toHaveLength(1)

  const keyed = await started({ apiKey: 'a-key-for-tests-only' })
  const { body } = await send<OpenApiDocument>(`${keyed.url}/openapi.json`)
  expect(await lint(JSON.stringify(body))).toEqual([])
  expect(body.security).toEqual([{ apiKey: [] }, { bearer: [] }])
  expect(body.components.securitySchemes).toMatchObject({
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    bearer: { type: 'http', scheme: 'bearer' },
  })
  for (const [path, operations] of Object.entries(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      expect(Object.keys(operation.responses).join(), path).toMatch(/2\d\d|501/)
      const url = keyed.url + path.replace(/\{\w+\}/g, randomUUID())
      const { response } = await exchange(url, { method: method.toUpperCase() })
      const isOpen = 'security' in operation
      expect([path, method, response.status === 401]).toEqual([path, method, !isOpen])
    }
  }
})
