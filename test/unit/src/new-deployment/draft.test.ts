import { sources, type CreateRequest, secretMark, type EnvironmentMode } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeSource,
  type Draft,
  draftOf,
  emptyDraft,
  isUntouched,
  requestOf,
  sendAlso,
  templateContent,
  withoutBlanks,
} from '@/features/new-deployment/draft/draft'
import { fieldNames, fields } from '@/features/new-deployment/draft/fields'
import { setValueAt, valueAt, type Path, pathKey } from '@/ui/format/json-path'
import { createRequests } from '../../../support/properties/arbitraries'
import { check, isError, firstMessages } from '@/features/new-deployment/draft/validate'
import { copiedDraft } from '@/features/new-deployment/draft/prefill'

describe('a draft', () => {
  describe('a draft of a request', () => {
    it('returns the same request without blanks at its ends, whatever the contract accepts', () => {
      const seen = new Set<string>()
      fc.assert(
        fc.property(createRequests, (request) => {
          seen.add(request.source)
          expect(requestOf(draftOf(request))).toStrictEqual(withoutBlanks(request))
        }),
      )
      expect([...seen].sort()).toEqual([...sources].sort())
    })

    it('keeps what a change of source hides, does not send it, and restores it on the way back', () => {
      fc.assert(
        fc.property(createRequests, fc.constantFrom(...sources), (request, other) => {
          const draft = draftOf(request)
          draft.alsoSent = []
          const first = requestOf(draft)
          changeSource(draft, other)
          const { source_config, source_revision_config, ...rest } = requestOf(draft)
          const names = [
            ...Object.keys(source_config),
            ...Object.keys(source_revision_config),
            ...Object.keys(rest),
          ]
          for (const name of fieldNames) {
            if (names.includes(name)) expect(fields[name].usualFor).toContain(other)
          }
          changeSource(draft, request.source)
          const again = requestOf(draft)
          // The only default: an empty resource spec for an external image without one.
          if (
            first.source_config.resource_spec === undefined &&
            [other, request.source].includes('external_docker')
          ) {
            delete again.source_config.resource_spec
          }
          expect(again).toStrictEqual(first)
        }),
      )
    })
  })

  describe('an empty draft', () => {
    it.each(['cloud', 'self-hosted'] as const)(
      'counts as untouched until something is entered (%s)',
      (mode) => {
        expect(isUntouched(emptyDraft(mode))).toBe(true)
        for (const path of [['name'], ['source_config', 'custom_url'], ['secrets', 0]]) {
          const draft = emptyDraft(mode)
          setValueAt(draft.entered, path, 'x')
          expect(isUntouched(draft)).toBe(false)
        }
      },
    )
  })
})

describe('blanks', () => {
  const request: CreateRequest = {
    name: 'agent',
    source: 'external_docker',
    source_config: { resource_spec: {} },
    source_revision_config: {},
    secrets: [{ name: 'KEY', value: 'value' }],
  }
  const spec = ['source_config', 'resource_spec']

  function entered(path: (string | number)[], value: unknown) {
    const draft = draftOf(request)
    setValueAt(draft.entered, path, value)
    return draft
  }

  describe('a pasted text with blanks at its ends', () => {
    const blanks = [' ', '\t', '\n', '\r\n', '\u00a0', '\u200b', '\ufeff', '\u2060', ' \u200b ']

    it.each<[(string | number)[], string]>([
      [['name'], 'agent-2'],
      [['source_config', 'repo_url'], 'https://example.com/agent'],
      [['source_config', 'integration_id'], '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'],
      [['source_config', 'listener_id'], '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'],
      [['source_config', 'listener_config', 'k8s_namespace'], 'agents'],
      [['source_config', 'install_command'], 'npm ci'],
      [['source_revision_config', 'repo_ref'], 'main'],
      [['source_revision_config', 'graph_config_path'], 'agent.json'],
      [['source_revision_config', 'image_uri'], 'registry.example.com/agent:2.3.1'],
      [['secrets', 0, 'name'], 'KEY'],
      [['secret_references', 0, 'secret_name'], 'agent'],
      [[...spec, 'service_account_name'], 'agent'],
      [[...spec, 'labels', 'team'], 'support'],
      [[...spec, 'sidecars', 0, 'image'], 'proxy:1'],
      [[...spec, 'volumes', 0, 'secret', 'secretName'], 'tls'],
    ])('at %j is sent without them', (path, text) => {
      for (const blank of blanks) {
        // Of other sources, but sent on request.
        const draft = entered(path, `${blank}${text}${blank}`)
        draft.alsoSent = ['integration_id', 'repo_url', 'repo_ref', 'graph_config_path', 'install_command']
        expect(valueAt(requestOf(draft), path)).toBe(text)
      }
    })

    it('at a key of a map is sent without them', () => {
      expect(valueAt(requestOf(entered([...spec, 'labels'], { ' team\u00a0': 'a' })), spec)).toEqual({
        labels: { team: 'a' },
      })
    })

    it.each<[(string | number)[], string, string | null]>([
      [['secrets', 0, 'value'], 'key\n', 'Ends with ␣'],
      [['secrets', 0, 'value'], '\u00a0key', 'Begins with ␣'],
      [['secrets', 0, 'value'], 'a b', null],
      [[...spec, 'sidecars', 0, 'env', 0, 'value'], 'a ', 'Ends with ␣'],
      [[...spec, 'sidecars', 0, 'args', 0], ' -v', 'Begins with ␣'],
      [[...spec, 'sidecars', 0, 'args', 0], 'set -e\nrun\n', null],
      [[...spec, 'annotations', 'note'], 'text ', 'Ends with ␣'],
    ])('at %j, where %j may be meant, is kept and said: %j', (path, text, message) => {
      const draft = entered(path, text)
      expect(valueAt(requestOf(draft), path)).toBe(text)
      const said = check(draft, 'self-hosted').filter((finding) => finding.message.includes('␣'))
      expect(said).toMatchObject(
        message === null
          ? []
          : [{ path, level: 'usual', message: expect.stringContaining(message) as string }],
      )
    })

    it('is empty if it has nothing else', () => {
      expect(requestOf(entered(['name'], '\u200b ')).name).toBe('')
    })
  })
})

describe('where drafts are kept', () => {
  it('a template has nothing that belongs to one deployment', () => {
    const draft = emptyDraft('cloud')
    draft.entered.name = 'agent'
    draft.entered.secrets = [{ name: 'KEY', value: 's3cret' }]
    const content = templateContent(draft)
    expect(content.entered).toMatchObject({ name: '', secrets: [{ name: 'KEY', value: '' }] })
    expect(draft.entered.secrets[0]!.value).toBe('s3cret')
  })

  describe('a copy for another environment', () => {
    const cloud = { name: 'Production', mode: 'cloud' as const }
    const own = { name: 'Cluster', mode: 'self-hosted' as const }

    it('keeps a source that is not allowed there, and says so', () => {
      const draft = emptyDraft('cloud')
      draft.entered.source_config.integration_id = '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'
      draft.entered.secrets = [
        { name: 'KEY', value: 's3cret' },
        { name: 'OLD', value: secretMark('1') },
      ]
      const copy = copiedDraft(draft, cloud, own)
      expect(copy.draft).toEqual(draft)
      expect(copy.draft).not.toBe(draft)
      expect(copy.title).toContain('Production (Cloud)')
      expect(copy.title).toContain('Cluster (Self-hosted)')
      expect(copy.notes.join('\n')).toMatch(/Source: Repository is allowed only in cloud environments/)
      expect(copy.notes.join('\n')).toMatch(/Integration ID: such values belong to one environment/)
      expect(copy.notes.join('\n')).toMatch(/Secret values \(KEY, OLD\): enter them again in Cluster/)
      expect(check(copy.draft, own.mode).filter(isError)).toMatchObject([
        { path: ['name'] },
        { path: ['source'] },
      ])
    })
  })
})

describe('what is wrong with it', () => {
  /** A draft with the given members filled in. */
  function draftWith(mode: EnvironmentMode, ...members: [Path, unknown][]): Draft {
    const draft = emptyDraft(mode)
    for (const [path, value] of members) setValueAt(draft.entered, path, value)
    return draft
  }

  const repository: [Path, unknown][] = [
    [['name'], 'agent'],
    [['source_config', 'integration_id'], '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'],
    [['source_config', 'repo_url'], 'https://code.example.com/acme/agent'],
    [['source_revision_config', 'repo_ref'], 'main'],
    [['source_revision_config', 'graph_config_path'], 'agent.json'],
  ]

  const spec = (...path: Path): Path => ['source_config', 'resource_spec', ...path]

  /** The message that the form shows at a path: an error before a warning. */
  function messageAt(draft: Draft, path: Path, mode: EnvironmentMode = 'cloud'): string | undefined {
    const findings = check(draft, mode)
    const [errors, warnings] = [findings.filter(isError), findings.filter((finding) => !isError(finding))]
    return firstMessages([...errors, ...warnings]).get(pathKey(path))
  }

  describe('check', () => {
    it.each<[Path, string, string, RegExp]>([
      [
        ['source_config', 'repo_url'],
        'https://user:pw@host/a',
        'required',
        /password or token.*an integration/,
      ],
      [['source_config', 'repo_url'], 'https://ghp_abc123@github.com/a', 'required', /password or token/],
      [
        ['source_config', 'repo_url'],
        'https://someone@bitbucket.org/a',
        'usual',
        /user name. If it is a token/,
      ],
      [
        ['source_config', 'install_command'],
        'pip install git+https://u:pw@host/a',
        'required',
        /a secret instead/,
      ],
      [spec('sidecars', 0, 'env', 0, 'value'), 'postgres://u:pw@db', 'usual', /a secret instead/],
    ])('warns of credentials in a URL at %j: %s (%s)', (path, text, level, message) => {
      const findings = check(draftWith('cloud', ...repository, [path, text]), 'cloud')
      expect(findings).toMatchObject([{ path, level, message: expect.stringMatching(message) as string }])
      expect(findings[0]!.message).not.toContain('pw')
    })

    it('reports what is not a matter of one limit: half a character in a name, secrets too long together', () => {
      const errors = (...members: [Path, unknown][]): [Path, string][] =>
        check(draftWith('cloud', ...repository, ...members), 'cloud')
          .filter(isError)
          .map(({ path, message }) => [path, message])
      expect(errors([['name'], 'agent \ud83d'])).toEqual([
        [['name'], 'Remove the characters that are not valid Unicode.'],
      ])
      const secrets = Array.from({ length: 9 }, (_, index) => ({
        name: `SECRET_${index}`,
        value: 'x'.repeat(131_072),
      }))
      expect(errors([['secrets'], secrets])).toEqual([
        [['secrets'], 'Use at most 1,048,576 characters for the values of all secrets together.'],
      ])
      expect(errors([['secrets'], secrets.slice(1)])).toEqual([])
    })

    it('finds a minimum above its maximum', () => {
      const draft = draftWith('cloud', ...repository, [spec('queue_cpu'), 4], [spec('queue_cpu_limit'), 2])
      expect(check(draft, 'cloud')).toEqual([
        {
          level: 'certain',
          path: spec('queue_cpu'),
          message: 'Queue CPU (4) may not be more than Queue CPU limit (2).',
        },
      ])
    })

    it('blocks what the interface certainly refuses: a source of the other mode, references elsewhere', () => {
      const draft = draftWith('cloud', ...repository, [
        ['secret_references'],
        [{ name: 'KEY', secret_name: 'vault', secret_key: 'key' }],
      ])
      expect(messageAt(draft, ['source'], 'self-hosted')).toMatch(/available only in cloud environments/)
      // Kept in the draft but not sent, so there is no finding.
      expect(messageAt(draft, ['secret_references'])).toBeUndefined()
      sendAlso(draft, 'secret_references')
      expect(check(draft, 'cloud')).toEqual([
        {
          level: 'certain',
          path: ['secret_references'],
          message: 'Secret references apply only to source "External image".',
        },
      ])
    })

    it('warns of what services are known to refuse, with the name of the field', () => {
      const draft = draftWith('cloud', ...repository, [['source_config', 'repo_url'], undefined])
      expect(check(draft, 'cloud')).toEqual([
        {
          level: 'required',
          path: ['source_config', 'repo_url'],
          message: 'Enter a repository URL.',
        },
      ])
    })

    it('warns of odd secrets: a repeated name, not the name of a variable, no value', () => {
      const draft = draftWith(
        'self-hosted',
        [['name'], 'agent'],
        [['source_revision_config', 'image_uri'], 'registry.example.com/agent:1'],
        [['source_config', 'listener_id'], '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'],
        [['source_config', 'listener_config', 'k8s_namespace'], 'agents'],
        [
          ['secrets'],
          [
            { name: 'KEY', value: 'a' },
            { name: 'KEY', value: 'b' },
            { name: '9-lives', value: 'c' },
            { name: 'EMPTY', value: '' },
          ],
        ],
        [['secret_references'], [{ name: 'KEY', secret_name: 'vault', secret_key: 'key' }]],
      )
      const findings = check(draft, 'self-hosted')
      expect(findings.map(({ path, message }) => [path.join('.'), message])).toEqual([
        ['secrets.1.name', '"KEY" appears twice. The service decides which value counts.'],
        ['secrets.2.name', "Use letters, digits and underscores; don't start with a digit."],
        ['secret_references.0.name', '"KEY" appears twice. The service decides which value counts.'],
        ['secrets.3.value', 'The value is empty.'],
      ])
      expect(findings.every((finding) => finding.level === 'usual')).toBe(true)
    })

    it('never repeats a secret value', () => {
      const draft = draftWith('cloud', [['secrets'], [{ name: 's3cret-name', value: 's3cret-value' }]])
      draft.entered.secrets.push({ name: 'NOT_TEXT', value: 7 as unknown as string })
      expect(JSON.stringify(check(draft, 'cloud'))).not.toContain('s3cret-value')
    })
  })
})
