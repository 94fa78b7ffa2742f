import { randomUUID } from 'node:crypto'
import { type CreateRequest, type Deployment, deploymentSchema, isAlike } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compare,
  fingerprintOf,
} from '../../../../../../../electron/main/features/deployments/attempts/fingerprint'
import {
  type Attempt,
  isAnother,
  latestMs,
  proofMs,
  matchAttempt,
  type Seen,
} from '../../../../../../../electron/main/features/deployments/attempts/match-attempt'
import { createRequests } from '../../../../../../support/properties/arbitraries'

const began = Date.parse('2026-11-21T10:00:00.000Z')
const time = (ms: number): string => new Date(ms).toISOString()

const request: CreateRequest = {
  name: 'agent',
  source: 'repohost',
  source_config: {
    integration_id: '7F6E2C1A-0B3D-4E5F-8A9B-0C1D2E3F4A5B',
    repo_url: 'https://git.example.com/x',
    build_on_push: false,
    install_command: '',
    resource_spec: {
      cpu: 1,
      sidecars: [{ name: 'log', image: 'log:1' }],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
    deployment_type: 'dev',
  },
  source_revision_config: { repo_ref: 'main', graph_config_path: null },
  secrets: [],
}

/** The same with an environment variable. */
const withVariable = (value: string): CreateRequest => {
  const changed = structuredClone(request)
  changed.source_config.resource_spec!.sidecars![0]!.env = [{ name: 'TOKEN', value }]
  return changed
}

/** A service's answer to a request, with members that it fills in. */
const answered = (sent: CreateRequest, more: object = {}): Deployment =>
  deploymentSchema.parse({
    ...JSON.parse(JSON.stringify(sent)),
    id: randomUUID(),
    status: 'AWAITING_DATABASE',
    created_at: time(began + 400),
    secrets: sent.secrets.map(({ name }) => ({ name, value: '' })),
    image_version: '0.1',
    ...more,
  })

const attempt = (sent = request): Attempt => ({
  name: sent.name,
  startedAt: time(began),
  startedAtService: null,
  isSteady: true,
  fingerprint: fingerprintOf(sent),
  serviceIdentity: 'service',
})

const seen = (deployments: Deployment[], more: Partial<Seen> = {}): Seen => ({
  deployments,
  complete: true,
  unreadable: 0,
  clock: { offsetMs: 0, allowanceMs: 1_000, isShown: true },
  at: time(began + 2_000),
  ...more,
})

const none = new Set<string>()
const verdict = (deployments: Deployment[], more: Partial<Seen> = {}, what = attempt()) =>
  matchAttempt(what, seen(deployments, more), none)

describe('a fingerprint', () => {
  it('finds no difference in what was sent, whatever a service adds or leaves null', () => {
    const spec = { ...request.source_config.resource_spec, cpu_limit: 2, labels: { a: 'b' } }
    const there = answered(request, {
      source_config: {
        ...request.source_config,
        integration_id: request.source_config.integration_id?.toLowerCase(),
        install_command: null,
        custom_url: 'https://set.by.service',
        deployment_type: undefined,
        resource_spec: spec,
      },
      source_revision_config: { ...request.source_revision_config, repo_commit_sha: 'abc' },
    })
    expect(compare(fingerprintOf(request), there).differences).toEqual([])
  })

  it('names members that differ or are missing', () => {
    const there = answered(request, {
      source: 'internal_source',
      source_config: {
        ...request.source_config,
        repo_url: 'https://git.example.com/y',
        build_on_push: null,
        resource_spec: { ...request.source_config.resource_spec, cpu: 2 },
      },
    })
    expect(compare(fingerprintOf(request), there).differences).toEqual([
      'source',
      'source_config.repo_url',
      'source_config.build_on_push',
      'source_config.resource_spec.cpu',
    ])
  })

  it('contains neither secrets nor values of environment variables', () => {
    const { salt, members } = fingerprintOf(withVariable('hunter2'))
    expect(fingerprintOf(withVariable('y'), salt)).toMatchObject({ salt, members })
    const named = fingerprintOf({ ...request, secrets: [{ name: 'KEY', value: 'correct-horse' }] })
    expect(named.secretNames).toHaveLength(1)
    expect(JSON.stringify(named)).not.toMatch(/KEY|correct-horse/)
    expect(JSON.stringify(members)).not.toMatch(/hunter2|correct-horse|git\.example|TOKEN|main/)
  })

  it('is different for every attempt', () => {
    expect(fingerprintOf(request).members).not.toEqual(fingerprintOf(request).members)
  })
})

describe('matching', () => {
  it('finds the deployment of an attempt, for any request', () => {
    fc.assert(
      fc.property(createRequests, fc.nat({ max: 60_000 }), (sent, tookMs) => {
        const there = answered(sent, { created_at: time(began + tookMs) })
        const lookup = verdict([answered({ ...sent, name: `${sent.name}-2` }), there], {}, attempt(sent))
        expect(lookup).toMatchObject({ deployment: { id: there.id }, differences: [] })
        // With secrets, or with too little to compare, only the operator can decide.
        const { hasSecrets, hasVariables, extras, isThin } = compare(fingerprintOf(sent), there)
        expect(hasSecrets).toBe(sent.secrets.length > 0)
        expect(extras).toEqual([])
        const reason = hasSecrets ? 'secrets' : hasVariables ? 'variables' : isThin ? 'thin' : null
        expect(lookup).toMatchObject({ verdict: reason === null ? 'found' : 'cannot-tell', reason })
      }),
    )
  })

  it('never accepts another name, source, repository or time', () => {
    fc.assert(
      fc.property(
        createRequests,
        fc.constantFrom(
          'name',
          'form of the name',
          'source',
          'repository',
          'ref',
          'before',
          'after',
          'other attempt',
        ),
        (sent, changed) => {
          const whole: CreateRequest = {
            ...sent,
            source_config: { ...sent.source_config, repo_url: 'https://git.example.com/x' },
            source_revision_config: { ...sent.source_revision_config, repo_ref: 'main' },
          }
          const there = answered(whole)
          if (changed === 'name') there.name += '-2'
          if (changed === 'form of the name') there.name += ' '
          if (changed === 'source') there.source = 'other'
          if (changed === 'repository') there.source_config.repo_url = 'https://git.example.com/X'
          if (changed === 'ref') there.source_revision_config.repo_ref = null
          if (changed === 'before') there.created_at = time(began - proofMs - 1)
          if (changed === 'after') there.created_at = time(began + latestMs + proofMs + 1)
          const others = new Set(changed === 'other attempt' ? [there.id] : [])
          // A lookup leaves out every other name (`readNamed`).
          const listed = [there].filter(({ name }) => isAlike(name, whole.name))
          const lookup = matchAttempt(attempt(whole), seen(listed), others)
          const isAway = changed === 'name' || changed === 'other attempt'
          expect(lookup.verdict).toBe(
            isAway ? 'not-found' : changed === 'form of the name' ? 'cannot-tell' : 'different',
          )
        },
      ),
    )
  })

  it("can't decide without a time, or without knowing what was sent", () => {
    const timeless = answered(request, { created_at: null })
    expect(verdict([timeless])).toMatchObject({ verdict: 'cannot-tell', reason: 'no-time' })
    expect(verdict([answered(request, { created_at: 'yesterday' })]).reason).toBe('no-time')
    expect(verdict([answered(request)], {}, { ...attempt(), fingerprint: null })).toMatchObject({
      verdict: 'cannot-tell',
      reason: 'not-kept',
    })
    const other = answered(request, { created_at: null, source: 'other' })
    expect(verdict([other])).toMatchObject({ verdict: 'different', differences: ['source'] })
  })

  it('leaves it to the operator if the request is too small, several match, or the service is unknown', () => {
    const thin: CreateRequest = {
      ...request,
      source: 'internal_docker',
      source_config: {},
      source_revision_config: { image_uri: 'internal/agent:1' },
    }
    expect(verdict([answered(thin)], {}, attempt(thin))).toMatchObject({
      verdict: 'cannot-tell',
      reason: 'thin',
    })
    expect(verdict([answered(request), answered(request)])).toMatchObject({ reason: 'repeated', fitting: 2 })
    expect(verdict([answered(request)], {}, { ...attempt(), serviceIdentity: null }).reason).toBe(
      'no-service',
    )
  })

  it('leaves it to the operator if a deployment has more than was sent, or environment variables', () => {
    const { source_config } = request
    const more = answered(request, { source_config: { ...source_config, install_command: 'make other' } })
    expect(verdict([more])).toMatchObject({
      verdict: 'cannot-tell',
      reason: 'more',
      differences: ['source_config.install_command'],
    })
    // A match comes before a deployment with more.
    const fitting = answered(request)
    expect(verdict([more, fitting])).toMatchObject({ verdict: 'found', deployment: { id: fitting.id } })
    const sent = attempt(withVariable('mine'))
    for (const value of ['mine', 'theirs', '***', ''])
      expect(verdict([answered(withVariable(value))], {}, sent).reason).toBe('variables')
    // Someone else's, although none was sent.
    expect(verdict([answered(withVariable('theirs'))])).toMatchObject({
      verdict: 'cannot-tell',
      reason: 'more',
      differences: ['source_config.resource_spec.sidecars'],
    })
  })

  it('leaves it to the operator if the time differs by no more than clocks may be off', () => {
    for (const ms of [-proofMs, -1_001, latestMs + 1_001, latestMs + proofMs]) {
      const there = { created_at: time(began + ms) }
      expect(verdict([answered(request, there)])).toMatchObject({ verdict: 'cannot-tell', reason: 'no-time' })
      expect(verdict([answered(request, { ...there, source: 'other' })])).toMatchObject({
        verdict: 'different',
        differences: ['source'],
      })
    }
  })

  it('reports a later deployment before an older one, in any order of the list', () => {
    const other = { ...request, source_revision_config: { repo_ref: 'other' } }
    const older = answered(other, { created_at: time(began - 2 * proofMs) })
    const later = answered(other, { created_at: time(began + latestMs + 2 * proofMs) })
    for (const deployments of [
      [older, later],
      [later, older],
    ]) {
      expect(matchAttempt(attempt(), seen(deployments), none).deployment?.id).toBe(later.id)
    }
  })
})

describe('the deployment in the answer to a creation', () => {
  const clock = { offsetMs: 0, allowanceMs: 30_000, isShown: true }
  const sent = { ...attempt(), fingerprint: fingerprintOf(request) }
  const another = (more: object, isSteady = true, seenBy = clock, status = 201): boolean =>
    isAnother({ ...sent, isSteady }, answered(request, more), seenBy, status)

  it('matches, whatever the service has filled in, normalised or left out', () => {
    expect(another({})).toBe(false)
    expect(another({ source_config: { custom_url: 'https://set.by.service' }, image_version: '1' })).toBe(
      false,
    )
    // In a container that was sent, and in a volume, services fill in the defaults of Kubernetes.
    const sidecars = [{ name: 'log', image: 'log:1', imagePullPolicy: 'IfNotPresent' }]
    const volumes = [{ name: 'tmp', emptyDir: { medium: 'Memory' } }]
    const resource_spec = { ...request.source_config.resource_spec, cpu: 1.1, sidecars, volumes }
    expect(another({ source_config: { ...request.source_config, resource_spec } })).toBe(false)
    expect(isAnother(sent, deploymentSchema.parse({ id: 'd', name: 'agent' }), clock, 201)).toBe(false)
  })

  it.each([
    { source: 'internal_docker' },
    { source_revision_config: { repo_ref: 'another' } },
    { source_config: { ...request.source_config, repo_url: 'https://git.example.com/y' } },
    { secrets: [{ name: 'THEIRS', value: '' }] },
  ])('is another one with %j', (more) => expect(another(more)).toBe(true))

  it('is another one if its time is, and the clocks can be compared', () => {
    const old = { created_at: time(began - proofMs - 1) }
    expect(another(old)).toBe(true)
    expect(another({ created_at: time(began - proofMs) })).toBe(false)
    expect(another({ created_at: '2026-11-21T12:00:00' })).toBe(false)
    expect(another(old, false)).toBe(false)
    expect(another(old, true, { ...clock, isShown: false })).toBe(false)
  })
})
