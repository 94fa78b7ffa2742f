import { type CreateRequest, type Deployment, readDeployment } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  differencesOf,
  matchAttempt,
  type Others,
} from '../../../../../../electron/main/features/deployments/attempts'
import { sentOf } from '../../../../../../electron/main/stored/journal'

const minute = 60_000
const began = Date.parse('2026-11-22T10:00:00Z')

const request: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: {
    integration_id: 'AAAAAAAA-0000-4000-8000-000000000000',
    install_command: '',
    resource_spec: {
      cpu: 1,
      sidecars: [{ name: 'proxy', image: 'envoy:1', env: [{ name: 'KEY', value: 'a-variable' }] }],
    },
  },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [{ name: 'A_KEY', value: 'a-secret' }],
}

/** A deployment as the service answers it, with what the request sent. */
function deployment(more: object = {}): Deployment {
  const read = readDeployment({
    ...structuredClone(request),
    id: 'd1',
    created_at: new Date(began).toISOString(),
    status: 'READY',
    ...more,
  })
  if (!read.ok) throw new Error(read.reason)
  return read.value
}

const attempt = { name: 'agent', startedAt: new Date(began).toISOString(), sent: sentOf(request) }
const at = '2026-11-22T10:01:00.000Z'
const alone: Others = { taken: new Set(), hasRival: false }

const match = (
  deployments: Deployment[],
  { others = alone, complete = true, unreadable = 0, sent = attempt.sent } = {},
) => matchAttempt({ ...attempt, sent }, { deployments, complete, unreadable, at }, others)

const createdAt = (ms: number): Deployment => deployment({ created_at: new Date(began + ms).toISOString() })

describe('a lookup', () => {
  it.each([
    ['at that moment', 0],
    ['five minutes before', -5 * minute],
    ['an hour later', 60 * minute],
  ])('finds the only deployment of the name, which has what was sent and was created %s', (_when, ms) => {
    expect(match([createdAt(ms)])).toEqual({
      at,
      verdict: 'found',
      deployment: { id: 'd1', createdAt: new Date(began + ms).toISOString(), status: 'READY' },
      differences: [],
      reason: null,
    })
  })

  it('leaves an older one, or one that differs, to the operator', () => {
    expect(match([createdAt(-6 * minute)])).toMatchObject({
      verdict: 'different',
      deployment: { id: 'd1' },
      differences: ['created_at'],
    })
    expect(match([deployment({ source_revision_config: { image_uri: 'other' } })])).toMatchObject({
      verdict: 'different',
      differences: ['source_revision_config.image_uri'],
    })
  })

  it.each([
    ['without a time', [deployment({ created_at: null })], {}, 'no-time'],
    ['for an attempt that was too large to keep', [deployment()], { sent: null }, 'not-kept'],
    [
      'that may be of another attempt',
      [deployment()],
      { others: { taken: new Set<string>(), hasRival: true } },
      'several',
    ],
    ['twice', [deployment(), deployment({ id: 'd2' })], {}, 'repeated'],
    ['in a list that is not whole', [deployment()], { complete: false }, 'incomplete'],
    ['beside entries that may have the name', [deployment()], { unreadable: 1 }, 'unreadable'],
    ['with a name in other case', [deployment({ name: 'Agent' })], {}, 'alike'],
  ])('leaves a deployment to the operator: %s', (_what, deployments, more, reason) => {
    expect(match(deployments, more)).toMatchObject({
      verdict: 'cannot-tell',
      reason,
      deployment: { id: 'd1' },
    })
  })

  it('names several, the one that differs least first, and counts those that it has no room for', () => {
    const other = deployment({ id: 'other', source: 'internal_source' })
    const all = [other, ...[1, 2, 3, 4, 5].map((at) => deployment({ id: `d${at}` }))]
    const found = match(all)
    expect(found).toMatchObject({ count: 6, deployment: { id: 'd1' }, differences: ['source'] })
    expect(found.others?.map(({ id }) => id)).toEqual(['d2', 'd3', 'd4', 'd5'])
  })

  it('says that nothing is there only after the whole list, and without what another attempt created', () => {
    const others: Others = { taken: new Set(['d1']), hasRival: false }
    expect(match([deployment()], { others })).toMatchObject({
      verdict: 'not-found',
      deployment: null,
      reason: 'taken',
    })
    expect(match([])).toMatchObject({ verdict: 'not-found', deployment: null, reason: null })
    expect(match([], { complete: false })).toMatchObject({ verdict: 'cannot-tell', reason: 'incomplete' })
    expect(match([], { unreadable: 2 })).toMatchObject({ verdict: 'cannot-tell', reason: 'unreadable' })
  })
})

describe('what is kept of a request', () => {
  it('has no value of a secret or of a variable, and none of a URL', () => {
    const kept = sentOf({
      ...request,
      source_config: { ...request.source_config, repo_url: 'https://user:a-password@host/repo' },
    })
    expect(kept?.secrets).toEqual(['A_KEY'])
    expect(JSON.stringify(kept)).not.toMatch(/a-secret|a-variable|a-password/)
  })

  it('is nothing if it is too large', () => {
    expect(sentOf({ ...request, source_config: { install_command: 'x'.repeat(100_000) } })).toBeNull()
  })
})

describe('a deployment', () => {
  const sent = sentOf(request)!

  it('has what was sent if the service added members, and wrote identifiers in lower case', () => {
    const { source_config } = request
    const filled = deployment({
      source_config: {
        ...source_config,
        integration_id: source_config.integration_id?.toLowerCase(),
        custom_url: 'https://agent.example',
        resource_spec: {
          ...source_config.resource_spec,
          memory_mb: 512,
          sidecars: [{ name: 'proxy', image: 'envoy:1', imagePullPolicy: 'Always', env: [{ name: 'KEY' }] }],
        },
      },
    })
    expect(differencesOf(sent, filled)).toEqual([])
  })

  it('differs where it has something else than was sent, or lacks it', () => {
    const changed = deployment({
      source_config: { resource_spec: { cpu: 2 } },
      source_revision_config: { image_uri: 'other' },
      secrets: [{ name: 'B_KEY' }],
    })
    expect(differencesOf(sent, changed)).toEqual([
      'source_config.integration_id',
      'source_config.resource_spec.cpu',
      'source_config.resource_spec.sidecars',
      'source_revision_config.image_uri',
      'secrets',
    ])
  })

  it('need not return the references of secrets, but returns them as they were sent', () => {
    const references = [{ name: 'A', secret_name: 's', secret_key: 'k' }]
    const withReferences = sentOf({ ...request, secret_references: references })!
    expect(differencesOf(withReferences, deployment())).toEqual([])
    const others = deployment({ secret_references: [{ name: 'B', secret_name: 's', secret_key: 'k' }] })
    expect(differencesOf(withReferences, others)).toEqual(['secret_references'])
  })
})
