import { describe, expect, it } from 'vitest'
import { ageOf, clockTime, relativeTime, shortAge } from '@/ui/format/time'
import { viewSummary } from '@/features/list/views'
import { noFilters } from '@contract/cache/filters'
import { environmentLetters } from '@/ui/format/words'
import { runningSource } from '@/ui/format/deployment'

describe('times', () => {
  describe('relative times', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    it.each([
      ['2026-11-21T11:59:30Z', 'just now', 'now'],
      ['2026-11-21T11:59:10Z', '1 minute ago', '1m'],
      ['2026-11-21T11:50:00Z', '10 minutes ago', '10m'],
      ['2026-11-21T09:00:00Z', '3 hours ago', '3h'],
      ['2026-11-20T11:00:00Z', '1 day ago', '1d'],
      ['2026-11-10T12:00:00Z', '11 days ago', '11d'],
      ['2026-10-31T14:24:00Z', '20 days ago', '20d'],
      ['2026-09-23T12:00:00Z', '59 days ago', '59d'],
      ['2026-09-20T12:00:00Z', '2 months ago', '2mo'],
      ['2025-11-23T12:00:00Z', '12 months ago', '12mo'],
      ['2024-11-10T12:00:00Z', '2 years ago', '2y'],
      ['2026-11-21T12:05:00Z', 'in 5 minutes', 'in 5m'],
      ['not a time', 'not a time', 'not a time'],
    ])('%s is %s', (iso, words, short) => {
      expect(relativeTime(iso, now)).toBe(words)
      expect(shortAge(iso, now)).toBe(short)
    })
  })

  it('shows a time of today as the time of day, and any other with its date', () => {
    const now = new Date(2026, 10, 21, 6, 0).getTime()
    const at = (...time: [number, number, number, number, number]): string =>
      clockTime(new Date(...time).toISOString(), now)
    expect(at(2026, 10, 21, 5, 8)).toBe('05:08')
    expect(at(2026, 10, 20, 23, 58)).toBe('20 Nov 2026, 23:58')
    expect(clockTime('not a time', now)).toBe('not a time')
  })

  it.each([
    ['2026-11-21T11:59:30Z', 'less than 1 min old'],
    ['2026-11-21T11:59:10Z', '1 min old'],
    ['2026-11-21T11:00:01Z', '59 min old'],
    ['2026-11-21T09:00:00Z', '3 h old'],
    ['2026-11-20T11:00:00Z', '1 day old'],
    ['2026-11-10T12:00:00Z', '11 days old'],
    ['2026-11-21T12:00:30Z', 'less than 1 min old'],
    ['2026-11-21T12:05:00Z', null],
    ['not a time', null],
  ])('%s is %s', (iso, age) => {
    expect(ageOf(iso, Date.parse('2026-11-21T12:00:00Z'))).toBe(age)
  })
})

describe('a saved view', () => {
  it('says what a view filters by, its order and its page size, and omits what is not set', () => {
    expect(viewSummary({ filters: noFilters(), source: 'live', sort: null, size: 50 })).toEqual([
      'Live',
      '50 per page',
    ])
    const all = {
      name: 'agent',
      statuses: ['READY', 'ODD'],
      rollingOut: true,
      deploymentType: 'prod' as const,
      remoteReconciled: 'no' as const,
      imageVersion: 'v1',
      tagValueIds: 't',
      deploymentIds: 'd',
      favourites: true,
      label: 'mine',
    }
    const sort = { by: 'updated_at' as const, descending: true }
    expect(viewSummary({ filters: all, source: 'cached', sort, size: 20 })).toEqual([
      'Cached',
      'Favourites',
      'Label: mine',
      'Search: agent',
      'Rolling out',
      'Status: Ready, ODD',
      'Type: Production',
      'Remote reconciled: no',
      'Image version: v1',
      'Tag value IDs: t',
      'Deployment IDs: d',
      'By updated, descending',
      '20 per page',
    ])
  })
})

describe('the letters of an environment', () => {
  it.each([
    ['Production', 'PR'],
    ['Production EU', 'PE'],
    ['Production US', 'PU'],
    ['Sandbox (cloud)', 'SC'],
    ['Sandbox (self-hosted)', 'SH'],
    ['staging-eu-2', 'S2'],
    ['x', 'X'],
    ['Ökologie', 'ÖK'],
    ['生产', '生产'],
    ['', ''],
    ['—', ''],
  ])('an environment named %j has the letters %j', (name, letters) => {
    expect(environmentLetters(name)).toBe(letters)
  })
})

describe('the source of a deployment', () => {
  const nothing = { repo_url: null, repo_ref: null, image_uri: null, source_tarball_path: null }
  const runs = (members: Record<string, string>) => runningSource({ ...nothing, ...members })

  describe('what a deployment runs', () => {
    it.each([
      ['https://github.com/acme/billing.git', 'billing'],
      ['git@github.com:acme/billing.git', 'billing'],
      ['https://git.example.com/group/sub/billing/', 'billing'],
      ['billing', 'billing'],
    ])('%s is %s', (repo_url, name) => expect(runs({ repo_url })?.name).toBe(name))
  })
})
