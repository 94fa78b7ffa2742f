import { expect, it } from 'vitest'
import type { Environment } from '@contract'
import { attentionRows } from '@/screens/overview/attention-rows'
import type { EnvironmentOverview } from '@/stores/overview/overview'

const environment = (id: string, storage: Environment['storage']): Environment =>
  ({ id, name: id, storage, profile: null }) as unknown as Environment

const awaiting = (id: string, updatedAt: string) => ({
  id,
  name: id,
  status: 'AWAITING_DATABASE',
  latest_revision_id: null,
  active_revision_id: null,
  created_at: updatedAt,
  updated_at: updatedAt,
  fetched_at: '2026-11-24T08:00:00Z',
  last_changes: { status: null, revision: null },
})

const cached = (environmentId: string, ...deployments: ReturnType<typeof awaiting>[]) =>
  ({
    environmentId,
    content: {
      state: 'cached',
      cache: { synchronisedAt: '2026-11-24T08:00:00Z' },
      intervalMinutes: 15,
      unsettled: { deployments, total: deployments.length },
    },
  }) as unknown as EnvironmentOverview

it('has sample data after all other data, old caches included, and what has waited longest first', () => {
  const rows = attentionRows({
    environments: [environment('sandbox', 'built-in'), environment('production', 'keychain')],
    overviews: new Map([
      ['sandbox', cached('sandbox', awaiting('sample', '2025-01-01T00:00:00Z'))],
      [
        'production',
        cached(
          'production',
          awaiting('newer', '2026-11-24T06:00:00Z'),
          awaiting('older', '2026-11-23T06:00:00Z'),
        ),
      ],
    ]),
    entries: [],
    stuckMinutes: 30,
    now: Date.parse('2026-11-24T10:00:00Z'),
  })
  expect(rows.map(({ name, environment }) => name ?? `cache of ${environment.id}`)).toEqual([
    'older',
    'newer',
    'cache of production',
    'sample',
    'cache of sandbox',
  ])
})
