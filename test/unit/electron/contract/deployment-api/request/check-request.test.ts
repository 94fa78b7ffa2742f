import { describe, expect, it } from 'vitest'
import { checkRequest, type CreateRequest, type EnvironmentMode, type Source } from '@contract'

const repohost: CreateRequest = {
  name: 'invoice-agent',
  source: 'repohost',
  source_config: {
    integration_id: '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b713',
    repo_url: 'https://x.example/a/b',
  },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'agent.json' },
  secrets: [],
}

const external: CreateRequest = {
  name: 'invoice-agent',
  source: 'external_docker',
  source_config: {
    resource_spec: {},
    listener_id: '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b714',
    listener_config: { k8s_namespace: 'agents' },
  },
  source_revision_config: { image_uri: 'registry.example/a:1' },
  secrets: [],
}

const internal = (source: Source, changes: Partial<CreateRequest> = {}): CreateRequest => ({
  name: 'invoice-agent',
  source,
  source_config: {},
  source_revision_config: {},
  secrets: [],
  ...changes,
})

const brief = (request: CreateRequest, mode: EnvironmentMode) =>
  checkRequest(request, mode).map(({ level, path }) => `${level} ${path.join('.')}`)

describe('checking a creation', () => {
  it('finds nothing in a complete request', () => {
    expect(checkRequest(repohost, 'cloud')).toEqual([])
    expect(checkRequest(external, 'self-hosted')).toEqual([])
    for (const source of ['internal_docker', 'internal_source', 'internal_template'] as const) {
      expect(checkRequest(internal(source), 'cloud')).toEqual([])
    }
  })

  it('is certain about the source that the mode does not allow', () => {
    expect(brief(repohost, 'self-hosted')).toEqual(['certain source'])
    expect(brief(external, 'cloud')).toEqual(['certain source'])
  })

  it('is certain that secret references are for external images only', () => {
    const references = [{ name: 'A', secret_name: 'b', secret_key: 'c' }]
    expect(brief({ ...repohost, secret_references: references }, 'cloud')).toEqual([
      'certain secret_references',
    ])
    expect(brief({ ...external, secret_references: references }, 'self-hosted')).toEqual([])
    expect(brief({ ...repohost, secret_references: [] }, 'cloud')).toEqual([])
    expect(brief({ ...repohost, secret_references: null }, 'cloud')).toEqual([])
  })

  it.each([null, undefined, ''])('requires what a repository needs if it is %j', (nothing) => {
    const request: CreateRequest = {
      ...repohost,
      source_config: { integration_id: nothing, repo_url: nothing },
      source_revision_config: { repo_ref: nothing, graph_config_path: nothing },
    }
    expect(brief(request, 'cloud')).toEqual([
      'required source_config.integration_id',
      'required source_config.repo_url',
      'required source_revision_config.repo_ref',
      'required source_revision_config.graph_config_path',
    ])
  })

  it('requires image and resource spec of an external image, and expects listener and namespace', () => {
    expect(brief({ ...external, source_config: {}, source_revision_config: {} }, 'self-hosted')).toEqual([
      'required source_revision_config.image_uri',
      'required source_config.resource_spec',
      'usual source_config.listener_id',
      'usual source_config.listener_config.k8s_namespace',
    ])
  })

  it('allows no build on push for a tag', () => {
    const of = (build_on_push: boolean, repo_ref: string): CreateRequest => ({
      ...repohost,
      source_config: { ...repohost.source_config, build_on_push },
      source_revision_config: { ...repohost.source_revision_config, repo_ref },
    })
    expect(brief(of(true, 'refs/tags/v1'), 'cloud')).toEqual(['required source_config.build_on_push'])
    expect(brief(of(false, 'refs/tags/v1'), 'cloud')).toEqual([])
    expect(brief(of(true, 'refs/heads/tags'), 'cloud')).toEqual([])
  })

  it.each([
    ['a', []],
    ['a'.repeat(63), []],
    ['a'.repeat(64), ['usual name']],
    ['1a', ['usual name']],
    ['Agent', ['usual name']],
    ['my agent', ['usual name']],
    ['ä', ['usual name']],
    ['A'.repeat(70), ['usual name', 'usual name']],
  ])('only warns about the name %s', (name, findings) => {
    expect(brief({ ...repohost, name }, 'cloud')).toEqual(findings)
  })
})
