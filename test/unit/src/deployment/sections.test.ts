import { type CreationEntry, deploymentSchema, type Lookup } from '@contract'
import { describe, expect, it } from 'vitest'
import type { Change } from '@contract/cache'
import type { TimelinePoint } from '@domain/timeline'
import {
  type HistoryEvent,
  historyOf,
  type Known,
  mayHaveCreated,
} from '@/features/deployment/sections/history'
import { specItems } from '@/features/deployment/sections/spec'

describe('history', () => {
  const known = (more: Partial<Known> = {}): Known => ({
    deployment: deploymentSchema.parse({
      id: 'd',
      name: 'agent',
      created_at: '2026-11-20T10:00:00Z',
      updated_at: '2026-11-21T12:00:00Z',
    }),
    goneAt: null,
    creations: [],
    timeline: [],
    runs: () => null,
    ...more,
  })

  const creation = (more: Partial<CreationEntry>) =>
    ({ startedAt: '2026-11-20T09:59:59Z', state: 'created', lookup: null, ...more }) as CreationEntry

  /** What an answer changed, and when that was seen. */
  const point = (number: number, seenAt: string, changes: Partial<Change>[]): TimelinePoint => ({
    kind: 'point',
    point: number,
    seenAt,
    previousAt: '2026-11-20T10:14:00Z',
    by: 'sync',
    changes: changes.map((change) => ({
      kind: 'status',
      member: null,
      before: null,
      after: null,
      ...change,
    })),
  })

  const facts = (more: Partial<Known>) =>
    historyOf(known(more)).map((item) =>
      item.kind === 'gap' ? 'gap' : item.facts.map(({ what }) => what).join(', '),
    )

  it('puts what the service, the journal and the cache know in one order, newest first', () => {
    const timeline = [
      point(2, '2026-11-21T12:00:10Z', [
        { kind: 'latest-revision', before: 'r1', after: 'r2' },
        {
          kind: 'configuration',
          member: 'source_revision_config.image_uri',
          before: 'agent:1',
          after: 'agent:2',
        },
        { kind: 'secret-names', before: 'OLD', after: 'NEW' },
      ]),
      { kind: 'gap' as const, from: '2026-11-20T18:00:00Z', to: '2026-11-21T12:00:10Z' },
      point(1, '2026-11-20T10:15:00Z', [{ before: 'AWAITING_DATABASE', after: 'READY' }]),
    ]
    const of = {
      goneAt: '2026-11-22T00:00:00Z',
      creations: [creation({})],
      timeline,
      runs: (id: string | null) => (id === 'r2' ? 'agent:2' : null),
    }
    expect(facts(of)).toEqual([
      'No longer at the service',
      'New latest revision, Image URI, Names of secrets',
      'gap',
      'Last updated',
      'Status: Awaiting database → Ready',
      'Created',
      'Created from this machine',
    ])
    const changed = historyOf(known(of))[1]
    expect(changed).toMatchObject({
      point: 2,
      facts: [
        { values: 'r1 → r2', detail: 'Runs agent:2' },
        { values: 'agent:1 → agent:2' },
        { detail: 'Added: NEW; removed: OLD' },
      ],
    })
    expect((changed as HistoryEvent).knownFrom).toMatch(/^Seen by a sync; happened after /)
  })

  it('says once that a deployment is gone, and does not offer to compare it', () => {
    const timeline = [point(3, '2026-11-23T00:00:00Z', [{ kind: 'gone', before: 'READY' }])]
    const items = historyOf(known({ timeline, goneAt: '2026-11-23T00:00:00Z' }))
    expect(items[0]).toMatchObject({ facts: [{ what: 'No longer at the service' }], point: null })
    expect(facts({ timeline, goneAt: '2026-11-23T00:00:00Z' }).slice(1)).toEqual(['Last updated', 'Created'])
  })
})

describe('resources', () => {
  const labels = (list: unknown, path = ['sidecars']) =>
    specItems(list, path).map(({ title, fields }) => [title, fields.map(({ label }) => label)])

  it('names items, and labels their members as the form does', () => {
    expect(
      labels([
        {
          name: 'telemetry',
          args: ['--quiet'],
          image: 'otel:1',
          env: [],
          workingDir: null,
          envFrom: [{ a: 1 }],
        },
        { name: 'scratch', emptyDir: {} },
        { name: 'scratch', mountPath: '/tmp', readOnly: false },
      ]),
    ).toEqual([
      ['telemetry', ['Image', 'Arguments', 'Environment sources']],
      ['scratch', ['emptyDir']],
      ['scratch', ['Mount path', 'Read only']],
    ])
  })
})

it('an attempt created a deployment, or may have if it is unconfirmed', () => {
  const lookup = (...ids: [string, ...string[]]): Lookup => {
    const [deployment, ...others] = ids.map((id) => ({ id, createdAt: null, status: 'READY' }))
    return {
      ...{ at: '2026-11-21T10:00:02.000Z', verdict: 'cannot-tell', differences: [], reason: null },
      ...{ deployment: deployment ?? null, others },
    }
  }
  const attempts: Partial<CreationEntry>[] = [
    { state: 'created', deploymentId: 'd', lookup: null },
    { state: 'created', deploymentId: 'e', lookup: null },
    { state: 'unconfirmed', lookup: lookup('x', 'd') },
    { state: 'unconfirmed', lookup: lookup('other') },
    { state: 'dismissed', lookup: lookup('d') },
    { state: 'refused', lookup: lookup('d') },
  ]
  expect(attempts.map((one) => mayHaveCreated(one as CreationEntry, 'd'))).toEqual([
    ...[true, false, true],
    ...[false, false, false],
  ])
})
