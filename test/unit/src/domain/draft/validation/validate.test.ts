import type { EnvironmentMode } from '@contract'
import { describe, expect, it } from 'vitest'
import { check, firstMessages, isError } from '@/domain/draft/validate'
import { type Draft, emptyDraft, sendAlso } from '@/domain/draft/draft'
import { type Path, pathKey, setValueAt } from '@/domain/text/json-path'

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
  it('finds nothing in a complete draft', () => {
    expect(check(draftWith('cloud', ...repository), 'cloud')).toEqual([])
  })

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
        severity: 'error',
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
    sendAlso(draft, 'secret_references', true)
    expect(check(draft, 'cloud')).toEqual([
      {
        severity: 'error',
        path: ['secret_references'],
        message: 'Secret references apply only to source "External image".',
      },
    ])
  })

  it('warns of what services are known to refuse, with the name of the field', () => {
    const draft = draftWith('cloud', ...repository, [['source_config', 'repo_url'], undefined])
    expect(check(draft, 'cloud')).toEqual([
      {
        severity: 'warning',
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
    expect(findings.every((finding) => finding.severity === 'warning')).toBe(true)
  })

  it('never repeats a secret value', () => {
    const draft = draftWith('cloud', [['secrets'], [{ name: 's3cret-name', value: 's3cret-value' }]])
    draft.entered.secrets.push({ name: 'NOT_TEXT', value: 7 as unknown as string })
    expect(JSON.stringify(check(draft, 'cloud'))).not.toContain('s3cret-value')
  })
})
