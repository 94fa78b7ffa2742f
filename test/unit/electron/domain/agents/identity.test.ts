import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  agentKey,
  agentOf,
  type IdentityFacts,
  ownAgentKey,
} from '../../../../../electron/domain/agents/identity'

const facts = (more: Partial<IdentityFacts>): IdentityFacts => ({
  name: 'support-agent',
  repo_url: null,
  graph_config_path: null,
  image_uri: null,
  ...more,
})

const repository = (repo_url: string, graph_config_path: string | null = null): string =>
  agentKey(facts({ repo_url, graph_config_path }))
const image = (image_uri: string): string => agentKey(facts({ image_uri }))
const named = (name: string): string => agentKey(facts({ name }))

describe('a repository', () => {
  it('is the same however its address is written', () => {
    const same = [
      'https://github.com/Acme/Agents',
      'https://github.com/acme/agents.git',
      'https://github.com/acme/agents/',
      'https://user:pass@github.com/acme/agents',
      'git@github.com:acme/agents.git',
      'ssh://git@github.com/acme/agents.git',
    ]
    expect(new Set(same.map((url) => repository(url))).size).toBe(1)
    expect(agentOf(repository(same[3]!))).toEqual({
      title: 'acme/agents',
      by: 'repository',
      where: 'github.com/acme/agents',
    })
  })

  it('has an agent for each configuration file', () => {
    const usual = repository('https://github.com/acme/agents')
    expect(repository('https://github.com/acme/agents', 'langgraph.json')).toBe(usual)
    expect(repository('https://github.com/acme/agents', './langgraph.json')).toBe(usual)
    expect(repository('https://github.com/acme/agents', 'apps/a/langgraph.json')).not.toBe(usual)
    expect(repository('https://gitlab.com/acme/agents')).not.toBe(usual)
    expect(repository('https://example.com:8443/acme/agents')).not.toBe(
      repository('https://example.com/acme/agents'),
    )
  })
})

describe('an image', () => {
  it('is the same with any tag or digest', () => {
    const same = [
      'registry.example.com:5000/team/agent',
      'registry.example.com:5000/team/agent:1.2.3',
      'registry.example.com:5000/team/agent@sha256:abc',
      'registry.example.com:5000/team/agent:1.2.3@sha256:abc',
    ]
    expect(new Set(same.map(image)).size).toBe(1)
    expect(agentOf(image(same[0]!))?.title).toBe('team/agent')
    expect(image('registry.example.com/team/agent:1')).not.toBe(image(same[1]!))
    expect(image('docker.io/library/agent:1')).toBe(image('agent:2'))
  })
})

describe('a name', () => {
  it('counts without the suffix of an environment', () => {
    const same = ['Chat', 'chat-dev', 'chat-staging', 'chat_prod', 'chat.pre-prod', 'chat production']
    expect(new Set(same.map(named)).size).toBe(1)
    expect(agentOf(named('chat-dev'))).toEqual({ title: 'chat', by: 'name', where: 'chat' })
    expect(named('chat-support')).not.toBe(named('chat'))
    expect(agentOf(named('production'))?.title).toBe('production')
  })
})

it('takes the repository first, then the image', () => {
  const both = { repo_url: 'https://github.com/acme/a', image_uri: 'example.com/b:1' }
  expect(agentOf(agentKey(facts(both)))?.by).toBe('repository')
  expect(agentOf(agentKey(facts({ ...both, repo_url: ' ' })))?.by).toBe('image')
})

const anyFacts = fc.record({
  name: fc.string({ unit: 'binary' }),
  repo_url: fc.option(fc.string({ unit: 'binary' })),
  graph_config_path: fc.option(fc.string({ unit: 'binary' })),
  image_uri: fc.option(fc.string({ unit: 'binary' })),
})

it('gives any facts a short key of plain characters that says what it is based on', () => {
  fc.assert(
    fc.property(anyFacts, (some) => {
      const key = agentKey(some)
      expect(key).toMatch(/^[!-~]* (?:repository|image|name) [!-~]*$/)
      expect(agentKey({ ...some })).toBe(key)
      expect(agentOf(key)).not.toBeNull()
    }),
  )
})

it('distinguishes long texts and keeps their keys short', () => {
  const long = 'ä'.repeat(1_000_000)
  expect(named(`${long}a`)).not.toBe(named(`${long}b`))
  expect(named(long).length).toBeLessThan(8_000)
})

it('makes a separate agent that equals no other', () => {
  expect(agentOf(ownAgentKey('Chat-dev', '1'))).toEqual({ title: 'chat', by: 'own', where: '1' })
  expect(agentOf('anything else')).toBeNull()
  expect(agentOf('%E0%A4%A name x')).toBeNull()
})
