import { withoutSecretValues } from '@contract'
import { compare, type ComparedField, type Outcome } from '@domain/compare/compare'
import { groups } from '@domain/compare/members'
import { type Origin, readSide, type Side } from '@domain/compare/side'
import { comparisonText, fieldLabel, sideText } from '@domain/compare/text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRequests } from '../../../support/properties/arbitraries'
import { pathLabel } from '@domain/labels/path-label'
import { changesBetween } from '../../../../electron/cache/store/history'

describe('comparing', () => {
  const answered: Origin = { kind: 'answer', environmentId: 'a' }
  const elsewhere: Origin = { kind: 'answer', environmentId: 'b' }
  const requested: Origin = { kind: 'request', environmentId: 'a' }

  function sideOf(document: object, origin: Origin = answered): Side {
    const side = readSide(document, origin)
    if (!side) throw new Error('not read')
    return side
  }

  const answer = (more: object = {}) => ({
    id: 'one',
    name: 'agent',
    source: 'repohost',
    source_config: { repo_url: 'https://code.example.com/agent', resource_spec: null },
    source_revision_config: { repo_ref: 'main', repo_commit_sha: 'abc' },
    secrets: [],
    status: 'READY',
    tenant_id: 'tenant',
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-02T00:00:00Z',
    latest_revision_id: 'r2',
    active_revision_id: 'r1',
    ...more,
  })

  const spec = (resource_spec: object) => answer({ source_config: { resource_spec } })

  /** The differences, by the labels of the fields. */
  const found = (fields: readonly ComparedField[]): Record<string, Outcome> =>
    Object.fromEntries(
      fields.filter(({ outcome }) => outcome !== 'same').map((field) => [fieldLabel(field), field.outcome]),
    )

  const different = (left: object, right: object, origins: [Origin, Origin] = [answered, answered]) =>
    found(compare(sideOf(left, origins[0]), sideOf(right, origins[1])))

  describe('two deployments', () => {
    it('differ by the fields that an operator knows', () => {
      const left = spec({ memory_mb: 512, queue_cpu: 1, labels: { team: 'a' } })
      const right = spec({ memory_mb: 1024, redis_cpu: 1, labels: { team: 'a', tier: '1' } })
      expect(different(left, right)).toEqual({
        Memory: 'differs',
        CPU: 'only-right',
        'Labels, tier': 'only-right',
      })
      const groupsOf = compare(sideOf(left), sideOf(right)).map(({ member }) => groups.indexOf(member.group))
      expect(groupsOf).toEqual([...groupsOf].sort((one, other) => one - other))
    })

    it('have their lists matched by name, mounts by path', () => {
      const sidecar = (name: string, image: string) => ({ name, image, env: [{ name: 'A', value: image }] })
      const left = spec({
        sidecars: [sidecar('one', 'x:1'), sidecar('two', 'y:1')],
        volume_mounts: [
          { name: 'data', mountPath: '/a' },
          { name: 'data', mountPath: '/b' },
        ],
      })
      const right = spec({
        sidecars: [sidecar('two', 'y:2'), sidecar('one', 'x:1')],
        volume_mounts: [{ name: 'data', mountPath: '/b', readOnly: true }],
      })
      expect(different(left, right)).toEqual({
        'Sidecar two, Image': 'differs',
        'Sidecar one, Variable A': 'not-reported',
        'Sidecar two, Variable A': 'not-reported',
        'Volume mount /a, Mount path': 'only-left',
        'Volume mount /a, Volume': 'only-left',
        'Volume mount /b, Read only': 'only-right',
      })
    })

    it('hide identifiers, times and tenants, and integrations between environments', () => {
      const integration = (integration_id: string) => ({ integration_id })
      const left = answer({ source_config: integration('i1') })
      const right = answer({
        id: 'two',
        tenant_id: 'other',
        updated_at: 'later',
        source_config: integration('i2'),
      })
      const shown = (origin: Origin) =>
        found(compare(sideOf(left), sideOf(right, origin)).filter(({ hidden }) => hidden === null))
      expect(shown(answered)).toEqual({ 'Integration ID': 'differs' })
      expect(shown(elsewhere)).toEqual({})
      expect(different(left, right)).toMatchObject({
        ID: 'differs',
        'Tenant ID': 'differs',
        Updated: 'differs',
      })
    })
  })

  describe('a field that only one side has', () => {
    const commands = (more: object) => answer({ source_config: { repo_url: 'u', ...more } })

    it('is not reported if the other service has no such member', () => {
      const left = commands({ install_command: 'npm ci' })
      expect(different(left, commands({}), [answered, elsewhere])).toEqual({
        'Install command': 'not-reported',
      })
      expect(different(left, commands({ install_command: null }), [answered, elsewhere])).toEqual({
        'Install command': 'only-left',
      })
      // The same service answers it for the other deployment.
      expect(different(left, commands({}))).toEqual({ 'Install command': 'only-left' })
    })

    it('is not reported if a request sets what answers lack', () => {
      const { id: _id, ...request } = commands({
        listener_config: { k8s_namespace: 'agents' },
        repo_url: 'v',
      })
      const right = commands({ listener_config: null, repo_url: null, build_on_push: true })
      expect(
        different({ source_config: request.source_config }, { source_config: right.source_config }, [
          requested,
          answered,
        ]),
      ).toEqual({
        'Listener, Kubernetes namespace': 'not-reported',
        'Repository URL': 'only-left',
        'Build on push': 'only-right',
      })
    })
  })

  describe('any two sides', () => {
    const pairs = fc.tuple(createRequests, createRequests)
    const origins = fc.constantFrom(answered, elsewhere, requested)
    const mirrored: Record<Outcome, Outcome> = {
      same: 'same',
      differs: 'differs',
      'only-left': 'only-right',
      'only-right': 'only-left',
      'not-reported': 'not-reported',
    }

    it('compare the same in both directions', () => {
      fc.assert(
        fc.property(pairs, origins, origins, ([one, other], first, second) => {
          const left = sideOf(one, first)
          const right = sideOf(other, second)
          const back = compare(right, left).map((field) => ({
            ...field,
            left: field.right,
            right: field.left,
            outcome: mirrored[field.outcome],
          }))
          expect(back).toEqual(compare(left, right))
        }),
      )
    })

    it('differ if any value does, in fields and in text', () => {
      fc.assert(
        fc.property(createRequests, fc.nat(), (request, at) => {
          // What the rule about secrets hides can't be compared.
          const harmless = withoutSecretValues(request)
          const changed = changedAt(harmless, at)
          fc.pre(changed !== null && JSON.stringify(withoutSecretValues(changed)) === JSON.stringify(changed))
          const left = sideOf(harmless)
          const right = sideOf(changed as object)
          expect(found(compare(left, right))).not.toEqual({})
          const keys = new Set([...left.fields, ...right.fields].map(({ key }) => key))
          expect(sideText(right, keys)).not.toBe(sideText(left, keys))
        }),
      )
    })

    it('never show the value of a secret', () => {
      fc.assert(
        fc.property(pairs, origins, fc.uuid(), ([one, other], origin, value) => {
          const secrets = [{ name: 'KEY', value }]
          const left = sideOf({ ...one, secrets }, origin)
          const right = sideOf({ ...other, secrets: [...other.secrets, ...secrets] }, requested)
          const compared = compare(left, right)
          const keys = new Set(compared.map(({ key }) => key))
          const all = [
            compared,
            left,
            right,
            sideText(left, keys),
            comparisonText(compared, { left: '', right: '' }),
          ]
          expect(JSON.stringify(all)).not.toContain(value)
        }),
      )
    })
  })

  /** A copy with one text, number or boolean changed; null if it has none there. */
  function changedAt(document: object, at: number): unknown {
    const copy = structuredClone(document)
    const places: (() => void)[] = []
    const visit = (holder: object): void => {
      for (const [name, value] of Object.entries(holder)) {
        const put = (next: unknown) => () => Reflect.set(holder, name, next)
        if (typeof value === 'string' && !(name === 'value' && value === '')) places.push(put(`${value}x`))
        else if (typeof value === 'number') places.push(put(value === 1 ? 2 : 1))
        else if (typeof value === 'boolean') places.push(put(!value))
        else if (typeof value === 'object' && value !== null) visit(value as object)
      }
    }
    visit(copy)
    if (places.length === 0) return null
    places[at % places.length]!()
    return copy
  }
})

describe('the text of a comparison', () => {
  const origin = { kind: 'request', environmentId: null } as const

  const left = readSide(
    {
      name: 'agent',
      source_revision_config: { repo_ref: 'main' },
      source_config: {
        resource_spec: {
          sidecars: [
            {
              name: 'proxy',
              image: 'proxy:1',
              env: [{ name: 'LEVEL', value: 'info' }],
              args: ['--a', '--b'],
            },
          ],
          volumes: [{ name: 'scratch', emptyDir: {} }],
        },
      },
      secrets: [
        { name: 'B', value: 'hunter2' },
        { name: 'A', value: 'hunter2' },
      ],
    },
    origin,
  )!
  const right = readSide({ name: 'agent', source_revision_config: { repo_ref: 'release' } }, origin)!

  it('writes a side as JSON, with only the names of secrets and without what is hidden', () => {
    const keys = left.fields.map(({ key }) => key).filter((key) => !key.endsWith('args'))
    expect(JSON.parse(sideText(left, new Set(keys)))).toEqual({
      name: 'agent',
      secrets: [{ name: 'A' }, { name: 'B' }],
      source_config: {
        resource_spec: {
          sidecars: [{ name: 'proxy', image: 'proxy:1', env: [{ name: 'LEVEL', value: '•••' }] }],
          volumes: [{ name: 'scratch', emptyDir: {} }],
        },
      },
      source_revision_config: { repo_ref: 'main' },
    })
  })

  it('writes a comparison by its groups', () => {
    const fields = compare(left, right).filter(({ member }) =>
      ['identity', 'revision', 'secrets'].includes(member.group),
    )
    expect(comparisonText(fields, { left: 'agent, Production', right: 'a draft, Staging' }))
      .toBe(`Left: agent, Production
Right: a draft, Staging

Identity
  Name: same
    agent

Revision
  Git ref: differs
    Left: main
    Right: release

Secrets
  Secret A: only left
    Left: set
    Right: not set
  Secret B: only left
    Left: set
    Right: not set
`)
    expect(comparisonText([], { left: 'a', right: 'b' })).toContain('No differences.')
  })

  it('does not let a name or label start a line of the copied text', () => {
    const forged = 'a\n  Right: pay (Prod)\v\f\u0085\u2028\u2029\r'
    const side = (labels: object) => readSide({ source_config: { resource_spec: { labels } } }, origin)!
    const fields = compare(side({ [forged]: '1' }), side({}))
    expect(fields).toHaveLength(1)
    const text = comparisonText(fields, { left: forged, right: forged })
    // Both sides, an empty line, the group, the field, and its two values.
    expect(text.trimEnd().split(/[\n\r\v\f\u0085\u2028\u2029]/)).toHaveLength(7)
  })
})

describe('labels', () => {
  const spec = (members: object): object => ({ source_config: { resource_spec: members } })

  describe('the label of a changed member', () => {
    it.each([
      [{ source_config: { repo_url: 'a' } }, { source_config: { repo_url: 'b' } }],
      [
        { source_config: { listener_config: { k8s_namespace: 'a' } } },
        { source_config: { listener_config: { k8s_namespace: 'b' } } },
      ],
      [
        spec({ sidecars: [{ name: 'proxy.1', image: 'a' }] }),
        spec({ sidecars: [{ name: 'proxy.1', image: 'b' }] }),
      ],
      [
        spec({ sidecars: [{ name: 'a]b', env: [{ name: 'LOG', value: 'a' }] }] }),
        spec({ sidecars: [{ name: 'a]b', env: [{ name: 'LOG', value: 'b' }] }] }),
      ],
      [
        spec({ init_containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] }),
        spec({ init_containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] }),
      ],
      [spec({ gpu_count: 1 }), spec({ gpu_count: 2 })],
      [{ source_config: { novel: 1 } }, { source_config: { novel: 2 } }],
    ])('is that of the comparison: %j', (before, after) => {
      const side = (document: object): Side => readSide(document, { kind: 'answer', environmentId: 'a' })!
      const differing = compare(side(before), side(after)).filter(({ outcome }) => outcome !== 'same')
      const changed = changesBetween(before, after).map(({ member }) => pathLabel(member!))
      expect(changed).toEqual(differing.map(fieldLabel))
    })
  })
})
