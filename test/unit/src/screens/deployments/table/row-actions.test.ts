import type { DeploymentSummary } from '@contract'
import { expect, it } from 'vitest'
import { rowMenu } from '@/screens/deployments/table/row-actions'
import { summaryOf } from '../../../../../support/builders/deployment-summary'

const row = (name: string, more: Partial<DeploymentSummary> = {}): DeploymentSummary =>
  summaryOf(`id-${name}`, { name, source: 'external_docker', status: 'AWAITING_DATABASE', ...more })
const nothing = { create: false, createElsewhere: false }
const creating = { create: true, createElsewhere: false }
const labels = (...args: Parameters<typeof rowMenu>): string[] => rowMenu(...args).map(({ label }) => label)

it('offers the actions that apply to a row', () => {
  expect(
    labels(
      [row('a', { image_uri: 'registry/a:1', image_version: '1.2' })],
      { create: true, createElsewhere: true },
      true,
      'Staging',
    ),
  ).toEqual([
    'Open',
    'Show in panel',
    'Watch',
    'Clone',
    'Clone to…',
    'Compare with…',
    'Copy name',
    'Copy ID',
    'Copy image',
    'Copy link',
    'Filter by status Awaiting database',
    'Hide status Awaiting database',
    'Filter by image version 1.2',
  ])
  expect(labels([row('a', { repo_url: 'https://git.example/a' })], nothing, false, 'Staging')).toEqual([
    'Open',
    'Watch',
    'Compare with…',
    'Copy name',
    'Copy ID',
    'Copy repository',
    'Copy link',
    'Filter by status Awaiting database',
    'Hide status Awaiting database',
  ])
})

it('copies the values of several rows that have one, and says how many', () => {
  const rows = [
    row('a', { image_uri: 'registry/a:1' }),
    row('b'),
    row('c', { repo_url: 'https://git.example/c' }),
  ]
  expect(labels(rows, creating, true, 'Staging')).toEqual([
    'Copy 3 names',
    'Copy 3 IDs',
    'Copy 1 image',
    'Copy 1 repository',
    'Clear selection',
  ])
  expect(rowMenu(rows, creating, true, 'Staging')[0]?.action).toEqual({
    kind: 'copy',
    texts: ['a', 'b', 'c'],
    done: 'Copied 3 names',
  })
})
