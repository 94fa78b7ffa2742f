import { deploymentSchema } from '@contract'
import { describe, expect, it } from 'vitest'
import { otherFields } from '@/screens/deployment/deployment-fields'
import { workloads } from '@/screens/deployment/workloads'
import { revisionLabel } from '@/format/revision'
import { runningSource } from '@/format/running-source'

const nothing = { repo_url: null, repo_ref: null, image_uri: null, source_tarball_path: null }
const runs = (given: Partial<typeof nothing> | Record<string, string>) =>
  runningSource({ ...nothing, ...given } as unknown as Parameters<typeof runningSource>[0])

describe('what a deployment runs', () => {
  it.each([
    ['https://github.com/acme/billing.git', 'billing'],
    ['git@github.com:acme/billing.git', 'billing'],
    ['https://git.example.com/group/sub/billing/', 'billing'],
    ['billing', 'billing'],
  ])('%s is %s', (repo_url, name) => expect(runs({ repo_url })?.name).toBe(name))

  it('shortens refs, and keeps the port and tag of an image', () => {
    expect(runs({ repo_url: 'https://x/a/b', repo_ref: 'refs/heads/feature/x' })?.ref).toBe('feature/x')
    expect(runs({ image_uri: 'registry.example.com:5000/team/agent:1.2' })?.name).toBe('agent:1.2')
    expect(runs({})).toBeNull()
  })
})

it('says whether the latest revision is rolling out', () => {
  const words = (latest: string | null, active: string | null) =>
    revisionLabel({ latest_revision_id: latest, active_revision_id: active })
  expect(words('abcdefghij', 'abcdefghij')).toMatchObject({ short: 'abcdefgh', rollingOut: false })
  expect(words('abcdefghij', 'other')).toMatchObject({ rollingOut: true })
  expect(words('abcdefghij', null)).toMatchObject({ rollingOut: true })
  expect(words(null, null)).toMatchObject({ short: null, rollingOut: false })
})

it('reads workloads with what they ask for and their limits, whatever a service answers', () => {
  expect(
    workloads({
      min_scale: 1,
      max_scale: 10,
      cpu: 0.5,
      cpu_limit: '2',
      memory_mb: 1024,
      db_storage_gi: 20,
      redis_cpu: {},
      queue_max_scale: 0,
    }),
  ).toEqual([
    { name: 'API', replicas: '1 to 10', cpu: '0.5, limit 2', memory: '1,024', more: null },
    { name: 'Queue', replicas: 'up to 0', cpu: null, memory: null, more: null },
    { name: 'Database', replicas: null, cpu: null, memory: null, more: '20 Gi storage' },
  ])
})

it('shows every member that the interface does not name', () => {
  const deployment = deploymentSchema.parse({
    id: '1',
    name: 'one',
    health: 98,
    source_config: { region: 'eu', listener_config: { zone: 1 } },
    source_revision_config: { built: true },
  })
  expect(otherFields(deployment).map(({ label }) => label)).toEqual([
    'health',
    'source_config.region',
    'source_config.listener_config.zone',
    'source_revision_config.built',
  ])
})
