import { describe, expect, it } from 'vitest'
import {
  agentKey,
  agentOf,
  type IdentityFacts,
  ownAgentKey,
} from '../../../../../electron/domain/agents/identity'

const facts = (more: Partial<IdentityFacts>): IdentityFacts => ({
  agent_id: null,
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

it('is what the service says, whatever the deployment runs', () => {
  const key = agentKey(facts({ agent_id: 'Support desk', repo_url: 'https://github.com/acme/agents' }))
  expect(agentOf(key)).toEqual({ title: 'Support desk', by: 'agent', where: 'Support desk' })
})

describe('a repository', () => {
  it.each<[host: string, where: string, addresses: string[]]>([
    [
      'GitHub',
      'github.com/acme/agents',
      [
        'https://github.com/Acme/Agents',
        'https://GitHub.com/acme/agents.git',
        'https://www.github.com/acme/agents/',
        'http://github.com:80/acme/agents.git/',
        'https://user:pass@github.com/acme/agents',
        'https://github.com/acme/agents/tree/main/apps',
        'https://github.com/acme/agents?tab=readme#top',
        'git@github.com:acme/agents.git',
        'github.com:acme/agents',
        'github.com/acme/agents',
        'ssh://git@github.com/acme/agents.git',
        'ssh://git@ssh.github.com:443/acme/agents.git',
        'git+ssh://git@github.com/acme/agents.git',
        'git+ssh://git@github.com:acme/agents.git#v1.0.28',
        'git+ssh://git@github.com:/acme/agents.git',
        'git://github.com/acme/agents.git',
      ],
    ],
    [
      'a host with a port for ssh',
      'git.corp/plat/support',
      [
        'https://git.corp/plat/support',
        'https://git.corp:8443/plat/support.git',
        'https://GIT.corp./plat/support',
        'ssh://git@git.corp:2222/plat/support.git',
        'git.corp:2222/plat/support',
        'git@git.corp:plat/support.git',
        'git@git.corp:/plat/support.git',
        'https://git.corp/plat/support/src/branch/main/README.md',
      ],
    ],
    [
      'an account that is a number',
      'github.com/1234/agents',
      ['https://github.com/1234/agents', 'git@github.com:1234/agents.git'],
    ],
    [
      'an IPv6 address',
      '[fd00::1]/plat/support',
      ['https://[fd00::1]/plat/support', 'ssh://git@[FD00::1]:2222/plat/support'],
    ],
    [
      'Azure DevOps',
      'dev.azure.com/acme/support desk/agents',
      [
        'https://dev.azure.com/acme/Support%20Desk/_git/agents',
        'https://acme@dev.azure.com/acme/Support%20Desk/_git/agents?path=/langgraph.json&version=GBmain',
        'https://acme.visualstudio.com/Support%20Desk/_git/agents',
        'https://acme.visualstudio.com/DefaultCollection/Support%20Desk/_git/agents',
        'git@ssh.dev.azure.com:v3/acme/Support%20Desk/agents',
        'ssh://git@ssh.dev.azure.com:22/v3/acme/Support%20Desk/agents',
        'acme@vs-ssh.visualstudio.com:v3/acme/Support%20Desk/agents',
        'ssh://acme@acme.visualstudio.com:22/DefaultCollection/Support%20Desk/_ssh/agents',
      ],
    ],
    [
      'a repository of Azure DevOps with the name of its project',
      'dev.azure.com/acme/agents/agents',
      [
        'https://dev.azure.com/acme/_git/agents',
        'https://acme.visualstudio.com/_git/agents',
        'https://dev.azure.com/acme/agents/_git/agents',
        'git@ssh.dev.azure.com:v3/acme/agents/agents',
      ],
    ],
    [
      'Azure DevOps Server',
      'tfs.corp/tfs/defaultcollection/support/agents',
      [
        'https://tfs.corp/tfs/DefaultCollection/Support/_git/agents',
        'ssh://tfs.corp:22/tfs/DefaultCollection/Support/_ssh/agents',
      ],
    ],
    [
      'Bitbucket Data Center',
      'stash.corp/plat/support',
      [
        'https://stash.corp/scm/plat/support.git',
        'https://stash.corp:7990/scm/PLAT/support.git',
        'https://stash.corp/bitbucket/scm/plat/support.git',
        'https://stash.corp/context/bitbucket/scm/plat/support.git',
        'https://stash.corp/projects/PLAT/repos/support/browse',
        'https://stash.corp/bitbucket/projects/PLAT/repos/support/browse/src?at=refs%2Fheads%2Fmain',
        'https://stash.corp/projects/PLAT/repos/support',
        'ssh://git@stash.corp:7999/plat/support.git',
      ],
    ],
    [
      'a personal repository of Bitbucket Data Center',
      'stash.corp/~ada/support',
      [
        'https://stash.corp/scm/~ada/support.git',
        'https://stash.corp/users/ada/repos/support/browse',
        'ssh://git@stash.corp:7999/~ada/support.git',
      ],
    ],
    [
      'Bitbucket Cloud',
      'bitbucket.org/acme/agents',
      [
        'https://ada@bitbucket.org/acme/agents.git',
        'https://bitbucket.org/acme/agents/src/main/',
        'ssh://git@altssh.bitbucket.org:443/acme/agents.git',
        'git@bitbucket.org:acme/agents.git',
      ],
    ],
    [
      'a subgroup of GitLab',
      'gitlab.com/acme/plat/ai/agents',
      [
        'https://gitlab.com/acme/plat/ai/agents',
        'https://oauth2:token@gitlab.com/acme/plat/ai/agents.git',
        'https://gitlab.com/acme/plat/ai/agents/-/tree/main/apps',
        'ssh://git@altssh.gitlab.com:443/acme/plat/ai/agents.git',
        'git@gitlab.com:acme/plat/ai/agents.git',
      ],
    ],
    [
      'AWS CodeCommit',
      'git-codecommit.eu-west-1.amazonaws.com/v1/repos/agents',
      [
        'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/agents',
        'ssh://APKAEXAMPLE@git-codecommit.eu-west-1.amazonaws.com/v1/repos/agents',
      ],
    ],
  ])('is the same however its address is written: %s', (_host, where, addresses) => {
    const found = addresses.map((url) => [url, agentOf(repository(url))?.where])
    expect(found).toEqual(addresses.map((url) => [url, where]))
    expect(new Set(addresses.map((url) => repository(url))).size).toBe(1)
  })

  it('is another one elsewhere, in another group and in another project', () => {
    const others = [
      'https://github.com/acme/agents',
      'https://gitlab.com/acme/agents',
      'https://github.com/acme/agents-2',
      'https://gitlab.com/acme/plat/agents',
      'https://dev.azure.com/acme/one/_git/agents',
      'https://dev.azure.com/acme/two/_git/agents',
      'https://stash.corp/scm/one/agents.git',
      'https://stash.corp/scm/two/agents.git',
      'https://gitlab.com/acme/scm/agents',
      'https://gitlab.com/projects/acme/repos-of/agents',
    ]
    expect(new Set(others.map((url) => repository(url))).size).toBe(others.length)
    expect(agentOf(repository(others[0]!))).toEqual({
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

it('makes a separate agent that equals no other', () => {
  expect(agentOf(ownAgentKey('Chat-dev', '1'))).toEqual({ title: 'chat', by: 'own', where: '1' })
  expect(agentOf('anything else')).toBeNull()
  expect(agentOf('x %E0%A4%A name x')).toBeNull()
})
