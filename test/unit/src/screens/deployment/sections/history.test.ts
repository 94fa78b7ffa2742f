import { type CreationEntry, deploymentSchema } from '@contract'
import { expect, it } from 'vitest'
import { historyOf, type Known } from '@/screens/deployment/sections/history'

const known = (more: Partial<Known> = {}): Known => ({
  deployment: deploymentSchema.parse({
    id: 'd',
    name: 'agent',
    created_at: '2026-11-20T10:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
  }),
  goneAt: null,
  creations: [],
  changes: [],
  runs: () => null,
  ...more,
})

const creation = (more: Partial<CreationEntry>) =>
  ({ startedAt: '2026-11-20T09:59:59Z', state: 'created', lookup: null, ...more }) as CreationEntry

const told = (more: Partial<Known>) => historyOf(known(more)).map(({ what }) => what)

it('puts what the service, the journal and the session know in one order, newest first', () => {
  const events = historyOf(
    known({
      goneAt: '2026-11-22T00:00:00Z',
      creations: [creation({})],
      changes: [
        {
          member: 'status',
          before: 'AWAITING_DATABASE',
          after: 'READY',
          previousAt: '2026-11-20T10:14:00Z',
          at: '2026-11-20T10:15:00Z',
        },
        {
          member: 'latest_revision_id',
          before: null,
          after: 'r2',
          previousAt: '2026-11-21T11:59:00Z',
          at: '2026-11-21T12:00:10Z',
        },
      ],
      runs: (id) => (id === 'r2' ? 'agent:2' : null),
    }),
  )
  expect(events.map(({ what }) => what)).toEqual([
    'No longer at the service',
    'New latest revision',
    'Last updated',
    'Status: Awaiting database → Ready',
    'Created',
    'Created from this machine',
  ])
  expect(events[1]).toMatchObject({ revisions: 'none → r2', detail: 'Runs agent:2' })
  expect(events[3]!.knownFrom).toContain('Seen by Slipway')
})

it('says of a creation only what is known of it', () => {
  expect(
    historyOf(known({ creations: [creation({ lookup: {} as CreationEntry['lookup'] })] })).at(-1),
  ).toMatchObject({
    detail: expect.stringContaining('The answer was lost') as string,
  })
  expect(historyOf(known({ creations: [creation({ state: 'unclear' })] })).at(-1)).toMatchObject({
    what: 'Creation attempted from this machine',
    detail: 'Unconfirmed: this deployment may be the result.',
  })
})

it('leaves out what the service does not say, and an update that is the creation', () => {
  const at = '2026-11-20T10:00:00Z'
  const deployment = (more: object) => deploymentSchema.parse({ id: 'd', name: 'agent', ...more })
  expect(told({ deployment: deployment({}) })).toEqual([])
  expect(told({ deployment: deployment({ created_at: at, updated_at: at }) })).toEqual(['Created'])
  expect(told({ deployment: deployment({ created_at: 'yesterday', updated_at: at }) })).toEqual([
    'Last updated',
    'Created',
  ])
})
