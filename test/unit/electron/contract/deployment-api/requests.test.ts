import { describe, expect, it } from 'vitest'
import {
  checkRequest,
  type CreateRequest,
  type EnvironmentMode,
  type Source,
  createRequestSchema,
  orderedPairs,
  requestSchemas,
  type ResourceSpec,
} from '@contract'
import fc from 'fast-check'
import { quantityOf } from '@contract/deployment-api/request/limits'

describe('checks', () => {
  const repohost: CreateRequest = {
    name: 'invoice-agent',
    source: 'repohost',
    source_config: {
      integration_id: '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b713',
      repo_url: 'https://x.example/a/b',
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agent.json' },
    secrets: [],
  }

  const external: CreateRequest = {
    name: 'invoice-agent',
    source: 'external_docker',
    source_config: {
      resource_spec: {},
      listener_id: '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b714',
      listener_config: { k8s_namespace: 'agents' },
    },
    source_revision_config: { image_uri: 'registry.example/a:1' },
    secrets: [],
  }

  const internal = (source: Source, changes: Partial<CreateRequest> = {}): CreateRequest => ({
    name: 'invoice-agent',
    source,
    source_config: {},
    source_revision_config: {},
    secrets: [],
    ...changes,
  })

  const brief = (request: CreateRequest, mode: EnvironmentMode) =>
    checkRequest(request, mode).map(({ level, path }) => `${level} ${path.join('.')}`)

  describe('checking a creation', () => {
    it('finds nothing in a complete request', () => {
      expect(checkRequest(repohost, 'cloud')).toEqual([])
      expect(checkRequest(external, 'self-hosted')).toEqual([])
      for (const source of ['internal_docker', 'internal_source', 'internal_template'] as const) {
        expect(checkRequest(internal(source), 'cloud')).toEqual([])
      }
    })

    it('is certain about the source that the mode does not allow', () => {
      expect(brief(repohost, 'self-hosted')).toEqual(['certain source'])
      expect(brief(external, 'cloud')).toEqual(['certain source'])
    })

    it('is certain that secret references are for external images only', () => {
      const references = [{ name: 'A', secret_name: 'b', secret_key: 'c' }]
      expect(brief({ ...repohost, secret_references: references }, 'cloud')).toEqual([
        'certain secret_references',
      ])
      expect(brief({ ...external, secret_references: references }, 'self-hosted')).toEqual([])
      expect(brief({ ...repohost, secret_references: [] }, 'cloud')).toEqual([])
      expect(brief({ ...repohost, secret_references: null }, 'cloud')).toEqual([])
    })

    it.each([null, undefined, ''])('requires what a repository needs if it is %j', (nothing) => {
      const request: CreateRequest = {
        ...repohost,
        source_config: { integration_id: nothing, repo_url: nothing },
        source_revision_config: { repo_ref: nothing, graph_config_path: nothing },
      }
      expect(brief(request, 'cloud')).toEqual([
        'required source_config.integration_id',
        'required source_config.repo_url',
        'required source_revision_config.repo_ref',
        'required source_revision_config.graph_config_path',
      ])
    })

    it('requires image and resource spec of an external image, and expects listener and namespace', () => {
      expect(brief({ ...external, source_config: {}, source_revision_config: {} }, 'self-hosted')).toEqual([
        'required source_revision_config.image_uri',
        'required source_config.resource_spec',
        'usual source_config.listener_id',
        'usual source_config.listener_config.k8s_namespace',
      ])
    })

    it('allows no build on push for a tag', () => {
      const of = (build_on_push: boolean, repo_ref: string): CreateRequest => ({
        ...repohost,
        source_config: { ...repohost.source_config, build_on_push },
        source_revision_config: { ...repohost.source_revision_config, repo_ref },
      })
      expect(brief(of(true, 'refs/tags/v1'), 'cloud')).toEqual(['required source_config.build_on_push'])
      expect(brief(of(false, 'refs/tags/v1'), 'cloud')).toEqual([])
      expect(brief(of(true, 'refs/heads/tags'), 'cloud')).toEqual([])
    })

    it.each([
      ['a', []],
      ['a'.repeat(63), []],
      ['a'.repeat(64), ['usual name']],
      ['1a', ['usual name']],
      ['Agent', ['usual name']],
      ['my agent', ['usual name']],
      ['ä', ['usual name']],
      ['A'.repeat(70), ['usual name', 'usual name']],
    ])('only warns about the name %s', (name, findings) => {
      expect(brief({ ...repohost, name }, 'cloud')).toEqual(findings)
    })
  })
})

describe('the schema', () => {
  const request = {
    name: 'invoice-agent',
    source: 'internal_source',
    source_config: { resource_spec: { cpu: 0.5, volumes: [{ name: 'v', emptyDir: {} }] } },
    source_revision_config: {},
    secrets: [{ name: 'A', value: '' }],
  }

  describe('a creation request', () => {
    it('is accepted unchanged', () => {
      expect(createRequestSchema.parse(request)).toEqual(request)
    })

    it('has a name that a query can carry', () => {
      expect(createRequestSchema.safeParse({ ...request, name: 'half-\ud800-pair' }).success).toBe(false)
      expect(createRequestSchema.safeParse({ ...request, name: 'whole-\u{1f600}-pair' }).success).toBe(true)
    })

    it.each(['name', 'source', 'source_config', 'source_revision_config', 'secrets'])(
      'needs %s',
      (member) => {
        expect(createRequestSchema.safeParse({ ...request, [member]: undefined }).success).toBe(false)
      },
    )
  })

  describe('a resource spec', () => {
    it('may not ask for more than its limits allow, nor have a minimum above its maximum', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...orderedPairs),
          fc.nat(1000),
          fc.nat(1000),
          ([low, high], first, second) => {
            const result = requestSchemas.resourceSpec.safeParse({ [low]: first, [high]: second })
            expect(result.success).toBe(first <= second)
            if (!result.success) expect(result.error.issues[0]).toMatchObject({ path: [low] })
          },
        ),
      )
    })

    it.each([
      { cpu: -1 },
      { memory_mb: 0.5 },
      { cpu: Number.NaN },
      { cpu: '1' },
      { labels: [] },
      { volumes: {} },
    ])('refuses %j', (spec) => {
      expect(requestSchemas.resourceSpec.safeParse(spec).success).toBe(false)
    })
  })
})

describe('resource specs', () => {
  const requestWith = (resource_spec: ResourceSpec): CreateRequest => ({
    name: 'invoice-agent',
    source: 'internal_docker',
    source_config: { resource_spec },
    source_revision_config: {},
    secrets: [],
  })

  /** The findings about a resource spec: messages by path. */
  function found(spec: ResourceSpec): Record<string, string> {
    const findings = checkRequest(requestWith(spec), 'cloud')
    expect(findings.every(({ level }) => level === 'usual')).toBe(true)
    expect(findings.every(({ path }) => path[1] === 'resource_spec')).toBe(true)
    return Object.fromEntries(findings.map(({ path, message }) => [path.slice(2).join('.'), message]))
  }

  const full: ResourceSpec = {
    cpu: 1,
    cpu_limit: 1,
    image_pull_secrets: [{ name: 'one' }, { name: 'two' }, {}, {}],
    volumes: [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'scratch', emptyDir: {}, nfs: null },
    ],
    volume_mounts: [
      { name: 'settings', mountPath: '/etc/agent' },
      { name: 'scratch', mountPath: '/tmp/agent', subPath: 'a' },
      { name: 'scratch', mountPath: '/var/agent', subPathExpr: '$(POD)' },
    ],
    init_containers: [{ name: 'fetch', volumeMounts: [{ name: 'scratch', mountPath: '/tmp/agent' }] }],
    sidecars: [
      {
        name: 'telemetry',
        env: [{ name: 'A', value: '1' }, { name: 'B', valueFrom: { fieldRef: {} } }, {}],
        resources: { requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: 0.2, memory: '0.1Gi' } },
      },
      { name: 'proxy', env: [{ name: 'A', value: '1' }] },
    ],
  }

  describe('checking a resource spec', () => {
    it('finds nothing in consistent or empty specs', () => {
      expect(found(full)).toEqual({})
      expect(found({})).toEqual({})
      expect(
        found({ volumes: null, volume_mounts: [], sidecars: [{}], init_containers: [{ env: null }] }),
      ).toEqual({})
    })

    it('reports a variable without a value', () => {
      const env = [{ name: 'A', value: '' }, { name: 'B', valueFrom: { fieldRef: {} } }, { name: 'C' }]
      expect(found({ sidecars: [{ name: 's', env }] })).toEqual({
        'sidecars.0.env.0.value': 'The variable has no value.',
        'sidecars.0.env.2.value': 'The variable has no value.',
      })
    })

    it('reports repeated names at the second one', () => {
      const spec: ResourceSpec = {
        image_pull_secrets: [{ name: 'one' }, { name: 'two' }, { name: 'one' }],
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'a', emptyDir: {} },
        ],
        volume_mounts: [
          { name: 'a', mountPath: '/x' },
          { name: 'a', mountPath: '/x' },
        ],
        init_containers: [{ name: 'c', env: ['E', 'F', 'E'].map((name) => ({ name, value: '1' })) }],
        sidecars: [{ name: 'c', volumeMounts: [{ mountPath: '/y' }, { mountPath: '/y' }] }],
      }
      expect(found(spec)).toEqual({
        'image_pull_secrets.2.name': 'There is another pull secret "one".',
        'volumes.1.name': 'There is another volume "a".',
        'volume_mounts.1.mountPath': 'There is another mount at "/x".',
        'init_containers.0.env.2.name': 'There is another variable "E".',
        'sidecars.0.name': 'There is another container "c".',
        'sidecars.0.volumeMounts.1.mountPath': 'There is another mount at "/y".',
      })
    })

    it('reports a mount that names no volume, with the existing ones', () => {
      expect(
        found({
          volumes: [{ name: 'settings', configMap: {} }],
          volume_mounts: [{ name: 'setings', mountPath: '/a' }],
          sidecars: [{ volumeMounts: [{ name: 'cache', mountPath: '/b' }, { mountPath: '/c' }] }],
        }),
      ).toEqual({
        'volume_mounts.0.name': 'No volume named "setings". Available: settings.',
        'sidecars.0.volumeMounts.0.name': 'No volume named "cache". Available: settings.',
      })
      expect(found({ volume_mounts: [{ name: 'cache' }] })).toEqual({
        'volume_mounts.0.name': 'No volume named "cache". There are none.',
        'volume_mounts.0.mountPath': 'A volume mount usually has a mount path.',
      })
    })

    it('finds what is missing or given in two ways', () => {
      const spec: ResourceSpec = {
        volumes: [{ name: 'none' }, { name: 'two', nfs: {}, csi: {} }],
        volume_mounts: [{ name: 'two', mountPath: '/a', subPath: 'a', subPathExpr: 'b' }],
        sidecars: [{ env: [{ name: 'A', value: 'x', valueFrom: {} }] }],
      }
      expect(Object.keys(found(spec))).toEqual([
        'volumes.0',
        'volumes.1',
        'volume_mounts.0.subPathExpr',
        'sidecars.0.env.0.valueFrom',
      ])
    })

    it("compares a container's requests with its limits if they are quantities", () => {
      const resources = {
        requests: { cpu: '1', fpga: '700m', memory: '2Gi', 'x/gpu': 'many', other: '1' },
        limits: { cpu: '500m', fpga: 0.7, memory: '2048Mi', 'x/gpu': '1' },
      }
      expect(found({ sidecars: [{ resources }] })).toEqual({
        'sidecars.0.resources.requests': 'cpu asks for more (1) than its limit (500m).',
      })
    })
  })

  describe('quantities', () => {
    it.each([
      [2, 2],
      ['2', 2],
      ['.5', 0.5],
      ['100m', 0.1],
      ['1e3', 1000],
      ['1k', 1000],
      ['1Ki', 1024],
      ['1.5Gi', 1.5 * 2 ** 30],
      ['', null],
      ['1 Gi', null],
      ['1constructor', null],
      ['Gi', null],
      [null, null],
    ])('reads %j as %j', (text, amount) => {
      expect(quantityOf(text)).toBe(amount)
    })
  })
})
