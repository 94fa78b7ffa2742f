import type { CachedSummary } from '@contract/cache'
import { commandIds } from '@contract/app/shortcuts'
import { expect, it } from 'vitest'
import {
  commandEntry,
  environmentEntry,
  type PaletteEntry,
  paletteGroups,
  type PaletteSource,
} from '@/domain/commands/palette-entries'
import { stateOf } from '../../../../support/page/fake-bridge'
import { summaryOf } from '../../../../support/builders/deployment-summary'

const cached = (id: string, name: string): CachedSummary => ({
  ...summaryOf(id, { name }),
  deployment_type: null,
  fetched_at: '2026-11-23T08:00:00Z',
  gone_at: null,
})
const names = (text: string, source: Partial<PaletteSource>) =>
  paletteGroups(text, {
    commands: [],
    environments: [],
    views: [],
    deployments: [],
    recent: [],
    noteOf: () => '',
    ...source,
  }).map(({ label, entries }) => [label, entries.map(({ key }) => key)])

it('shows all but deployments without a text, with recent entries first and once', () => {
  const environments = stateOf('production', 'staging').environments
  const recent: PaletteEntry[] = [environmentEntry(environments[1]!), commandEntry('refresh')]
  const groups = names('', {
    commands: ['refresh', 'find', 'go-activity', 'copy-id'],
    environments,
    deployments: [cached('1', 'a')],
    recent,
  })
  expect(groups).toEqual([
    ['Recent', ['environment staging', 'command refresh']],
    ['This screen', ['command copy-id']],
    ['Screens', ['command go-activity']],
    ['Commands', ['command find']],
    ['Environments', ['environment production']],
  ])
})

it('finds by every word, in any order and case, including environments by their base URL', () => {
  const { environments } = stateOf('production', 'staging')
  expect(names('shot KEYBOARD', { commands: commandIds })).toEqual([])
  expect(names('  environment SWITCH ', { commands: commandIds })).toEqual([
    ['Commands', ['command switch-environment']],
  ])
  expect(names('staging.example', { environments })).toEqual([['Environments', ['environment staging']]])
})

it('shows the deployment that has the name first, then those that begin with it', () => {
  const deployments = [
    cached('1', 'an-agent-1'),
    cached('2', 'agent-10'),
    cached('3', 'AGENT-1'),
    cached('agent-1', 'other'),
    cached('5', 'elsewhere'),
  ]
  expect(names('agent-1', { deployments })).toEqual([
    ['Deployments', ['deployment 3', 'deployment agent-1', 'deployment 2', 'deployment 1']],
  ])
})
