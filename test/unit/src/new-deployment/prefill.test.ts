import { createRequestSchema, type Deployment, deploymentSchema, readDeployment } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, requestOf, unsentFields } from '@/features/new-deployment/draft/draft'
import { draftFromDeployment, draftFromFile } from '@/features/new-deployment/draft/prefill'
import { createRequests } from '../../../support/properties/arbitraries'
import { check } from '@/features/new-deployment/draft/validate'
import { writeYaml } from '@/features/new-deployment/draft/text'

describe('from a deployment', () => {
  /** A service's answer to a request: its members, the service's own, and null for what wasn't sent. */
  function answerTo(request: object, more: object = {}): Deployment {
    return deploymentSchema.parse({
      ...request,
      id: '7c5b0c5e-3f5e-4c9b-9d7a-0d8f4a0f5b11',
      tenant_id: '9f8e7d6c-5b4a-4392-8171-605f4e3d2c1b',
      status: 'READY',
      ...more,
    })
  }

  describe('draftFromDeployment', () => {
    it('returns a request that the contract accepts, for any answer to any request', () => {
      fc.assert(
        fc.property(createRequests, (request) => {
          const { draft } = draftFromDeployment(answerTo(request), 'cloud')
          draft.entered.name = 'another'
          expect(createRequestSchema.safeParse(requestOf(draft)).error?.issues ?? []).toEqual([])
        }),
      )
    })

    it('copies everything but name, secret values and nulls', () => {
      const withoutNulls = (value: object): object =>
        Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
      fc.assert(
        fc.property(createRequests, (request) => {
          const { entered } = draftFromDeployment(answerTo(request), 'cloud').draft
          expect(entered.source).toBe(request.source)
          expect(Object.keys(entered.source_config)).toEqual(
            expect.arrayContaining(
              Object.keys(withoutNulls(request.source_config)).filter((name) => name !== 'listener_config'),
            ),
          )
          expect(entered.source_revision_config).toEqual(withoutNulls(request.source_revision_config))
          expect(entered.secrets).toEqual(request.secrets.map(({ name }) => ({ name, value: '' })))
        }),
      )
    })

    it('leaves empty, and names, what was hidden in the answer', () => {
      const { draft, notes } = draftFromDeployment(
        answerTo({
          name: 'agent',
          source: 'external_docker',
          source_config: {
            install_command: 'fetch --key •••',
            build_command: 'make',
            resource_spec: { sidecars: [{ name: 'log', env: [{ name: 'KEY', value: '•••' }] }] },
          },
          source_revision_config: { image_uri: 'registry.example.com/a:1' },
          secrets: [],
        }),
        'self-hosted',
      )
      expect(JSON.stringify(draft.entered)).not.toContain('•••')
      expect(draft.entered.source_config.build_command).toBe('make')
      const note = notes.find((one) => one.startsWith('Hidden values'))
      expect(note).toContain('source_config.install_command')
      expect(note).toContain('source_config.resource_spec.sidecars[0].env[0].value')
    })

    it('leaves out, and names, what was hidden in names', () => {
      const { draft, notes } = draftFromDeployment(
        answerTo({
          name: 'agent',
          source: 'external_docker',
          source_config: { resource_spec: { labels: { '•••-team': 'a', tier: 'b' } } },
          source_revision_config: { image_uri: 'registry.example.com/a:1' },
          secrets: [
            { name: 'KEY', value: '' },
            { name: '•••_KEY', value: '' },
          ],
          secret_references: [{ name: 'DB', secret_name: '•••-db', secret_key: 'k' }],
        }),
        'self-hosted',
      )
      expect(draft.entered).toMatchObject({
        secrets: [
          { name: 'KEY', value: '' },
          { name: '', value: '' },
        ],
        secret_references: [{ name: 'DB', secret_name: '', secret_key: 'k' }],
      })
      expect(draft.entered.source_config.resource_spec).toEqual({ labels: { tier: 'b' } })
      expect(notes).toContain('Secret values: only the names could be taken (KEY). Enter the values again.')
      // Labels, never the names of the interface.
      expect(notes.find((one) => one.startsWith('Fields that only the service sets'))).not.toMatch(/_/)
      expect(notes).toContain(
        'Hidden values: Slipway hides them in answers. Enter them again in source_config.resource_spec.labels.•••-team, ' +
          'secret_references[0].secret_name, secrets[1].name.',
      )
    })

    it('copies what only refers to a secret, and names what was hidden on reading', () => {
      const annotations = {
        'nginx.ingress.kubernetes.io/auth-secret': 'basic-auth',
        'vault.hashicorp.com/agent-inject-token': 'true',
      }
      const sidecar = (value: string) => ({ name: 's', env: [{ name: 'A', value }] })
      const read = readDeployment(
        answerTo({
          name: 'agent',
          source: 'external_docker',
          source_config: {
            repo_url: 'https://user:password@git.example.com/team/app',
            resource_spec: { annotations, sidecars: [sidecar('a value')] },
          },
          source_revision_config: { image_uri: 'registry.example.com/a:1' },
          secrets: [],
        }),
      )
      if (!read.ok) throw new Error(read.reason)
      const { draft, notes } = draftFromDeployment(read.value, 'self-hosted')
      expect(draft.entered.source_config).toEqual({
        repo_url: 'https://git.example.com/team/app',
        resource_spec: { annotations, sidecars: [sidecar('')] },
      })
      expect(notes.filter((note) => note.startsWith('Hidden values'))).toEqual([
        'Hidden values: Slipway hides them in answers. Enter them again in source_config.repo_url, source_config.resource_spec.sidecars[0].env[0].value.',
      ])
    })

    it("lists members that a request can't have, at any depth, and copies the rest", () => {
      const { draft, notes } = draftFromDeployment(
        answerTo(
          {
            name: 'agent',
            source: 'external_docker',
            source_config: {
              custom_url: null,
              region: 'eu',
              resource_spec: {
                cpu: 2,
                cpu_limit: 1,
                gpu: 1,
                memory_mb: null,
                labels: { team: 'a', none: null },
                sidecars: [
                  { name: 'log', image: null, probe: {} },
                  { name: 'proxy', args: ['-v', 3] },
                ],
              },
            },
            source_revision_config: { image_uri: 'registry.example.com/a:1', repo_commit_sha: 'abc' },
            secrets: [
              { name: 'KEY', value: 's3cret' },
              { name: null, value: '' },
            ],
            secret_references: [{ name: 'R', secret_name: 's', secret_key: 'k' }, { name: 'broken' }],
          },
          { shareable: true },
        ),
        'self-hosted',
      )
      expect(requestOf(draft)).toEqual({
        name: '',
        source: 'external_docker',
        source_config: {
          resource_spec: {
            // Its field says that it exceeds the limit.
            cpu: 2,
            cpu_limit: 1,
            labels: { team: 'a', none: null },
            sidecars: [{ name: 'log' }, { name: 'proxy', args: ['-v'] }],
          },
        },
        source_revision_config: { image_uri: 'registry.example.com/a:1' },
        secrets: [{ name: 'KEY', value: '' }],
        secret_references: [{ name: 'R', secret_name: 's', secret_key: 'k' }],
      })
      expect(notes.join('\n')).not.toContain('s3cret')
      expect(notes).toContain('Secret values: only the names could be taken (KEY). Enter the values again.')
      const members = notes
        .filter((note) => /^(Fields that a request can't have|Wrong values): /.test(note))
        .join('\n')
      expect(members).toMatch(/^Fields that .*region.*\nWrong values: .*secret_references/)
      for (const member of [
        'shareable',
        'source_config.region',
        'source_config.resource_spec.gpu',
        'source_config.resource_spec.sidecars[0].probe',
        'source_config.resource_spec.sidecars[1].args[1]',
        'secret_references[1]',
      ]) {
        expect(members).toContain(member)
      }
    })

    it("keeps members that the service filled in, but doesn't send them", () => {
      const request = {
        name: 'agent',
        source: 'internal_docker',
        source_config: { custom_url: 'https://agent.example.com' },
        source_revision_config: {},
        secrets: [],
      }
      const { draft } = draftFromDeployment(answerTo(request), 'cloud')
      expect(requestOf(draft).source_config).toEqual({})
      expect(unsentFields(draft)).toEqual(['custom_url'])
      expect(unsentFields(draftOf(request as never))).toEqual([])
    })
  })
})

describe('from a file', () => {
  function imported(fileName: string, text: string) {
    const reading = draftFromFile(fileName, text)
    if (!reading.ok) throw new Error(reading.message)
    return { request: requestOf(reading.prefilled.draft), notes: reading.prefilled.notes.join('\n') }
  }

  const request = {
    name: 'agent',
    source: 'external_docker',
    source_config: { resource_spec: { cpu: 1.5, labels: { team: 'support' } } },
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [{ name: 'KEY', value: 'given' }],
  }

  describe('a file', () => {
    it('with a request is imported completely, as JSON and as YAML', () => {
      for (const [name, text] of [
        ['a.json', `\ufeff${JSON.stringify(request)}`],
        ['a.yaml', writeYaml(request)],
        ['a.yml', JSON.stringify(request)],
      ] as const) {
        expect(imported(name, text)).toEqual({ request, notes: '' })
      }
    })

    it('with a deployment lists what a request cannot carry', () => {
      const { request: taken, notes } = imported(
        'a.json',
        JSON.stringify({
          ...request,
          id: '1',
          status: 'READY',
          colour: 'red',
          source_config: { ...request.source_config, listener_id: 'none', size: 'big' },
          secrets: [{ name: 'KEY', value: '' }],
        }),
      )
      expect(taken).toEqual({ ...request, secrets: [{ name: 'KEY', value: '' }] })
      expect(notes).toContain('Secret values: the file has none for KEY.')
      expect(notes).toContain('Fields that only the service sets: id, status.')
      for (const member of ['colour', 'source_config.listener_id', 'source_config.size']) {
        expect(notes).toContain(member)
      }
    })

    it('has everything that the interface accepts, and nothing that it refuses, for any mixture', () => {
      const reference = { name: 'A', secret_name: 's', secret_key: 'k' }
      const item = fc.oneof(
        fc.constant<unknown>(reference),
        fc.constant<unknown>({ ...reference, more: 1 }),
        fc.jsonValue({ maxDepth: 2 }),
      )
      fc.assert(
        fc.property(fc.array(item, { maxLength: 30 }), (items) => {
          const { request: taken } = imported(
            'a.json',
            JSON.stringify({ ...request, secret_references: items }),
          )
          const fitting = items.filter((one) => (one as { secret_key?: unknown } | null)?.secret_key === 'k')
          expect(taken.secret_references ?? []).toEqual(fitting.map(() => reference))
        }),
      )
    })

    it.each([
      ['cpu', '500m', 0.5],
      ['cpu', '1.5', 1.5],
      ['queue_cpu_limit', '1k', 1000],
      ['memory_mb', '2Gi', 2048],
      ['memory_mb', '512Mi', 512],
      ['queue_memory_limit_mb', '2G', 2000],
      ['memory_mb', '1024MB', 1024],
      ['memory_mb', '2gb', 2000],
      ['memory_mb', '1 Gi', 1024],
      ['db_storage_gi', '10Gi', 10],
      ['db_storage_gi', '1Ti', 1024],
      ['max_scale', '3', 3],
    ])('with %s: %s has a wrong value, in place of which %s is offered', (member, text, meant) => {
      const file = { ...request, source_config: { resource_spec: { [member]: text } } }
      const { request: taken, notes } = imported('a.json', JSON.stringify(file))
      expect(notes).toBe(`Wrong values: source_config.resource_spec.${member} (${text}; ${meant} is meant).`)
      expect(taken.source_config.resource_spec).toEqual({ [member]: text })
      const finding = check(draftOf(taken), 'self-hosted').find(({ path }) => path.at(-1) === member)
      expect(finding).toMatchObject({
        level: 'certain',
        message: expect.stringMatching(`${text} is ${meant} here`) as string,
      })
    })

    it.each([
      ['memory_mb', '1k'],
      ['memory_mb', 'much'],
      ['memory_mb', '1.5'],
      ['max_scale', '1.5'],
      ['cpu', 'two'],
    ])('with %s: %s has a wrong value, and nothing is offered', (member, text) => {
      const file = { ...request, source_config: { resource_spec: { [member]: text } } }
      expect(imported('a.json', JSON.stringify(file)).notes).toBe(
        `Wrong values: source_config.resource_spec.${member}.`,
      )
    })
  })
})
