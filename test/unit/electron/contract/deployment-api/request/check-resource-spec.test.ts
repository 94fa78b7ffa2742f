import { describe, expect, it } from 'vitest'
import { checkRequest, type CreateRequest, type ResourceSpec } from '@contract'
import { quantityOf } from '@contract/deployment-api/request/limits'

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
