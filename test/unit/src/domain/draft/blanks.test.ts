import type { CreateRequest } from '@contract'
import { describe, expect, it } from 'vitest'
import { draftOf, requestOf } from '@/domain/draft/draft'
import { setValueAt, valueAt } from '@/domain/text/json-path'
import { check } from '@/domain/draft/validate'

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
      message === null ? [] : [{ path, level: 'usual', message: expect.stringContaining(message) as string }],
    )
  })

  it('is empty if it has nothing else', () => {
    expect(requestOf(entered(['name'], '\u200b ')).name).toBe('')
  })
})
