import { describe, expect, it } from 'vitest'
import {
  agentKey,
  agentOf,
  type IdentityFacts,
  ownAgentKey,
} from '../../../../electron/domain/agents/identity'
import fc from 'fast-check'
import {
  type Version,
  versionFrom,
  versionKey,
  versionOf,
  versionsDiffer,
} from '../../../../electron/domain/agents/version'
import {
  type AgentRow,
  type ColumnOfRows,
  agentsIn,
  rowOf,
  type Entry,
  type Member,
} from '../../../../electron/domain/agents/rows'

describe('identities', () => {
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
})

describe('versions', () => {
  const nothing = {
    repo_url: null,
    repo_ref: null,
    repo_commit_sha: null,
    image_uri: null,
    image_version: null,
    source_tarball_path: null,
  }

  it('reads branch and commit, tag and digest, or the archive', () => {
    const repository = { ...nothing, repo_url: 'https://example.com/a', repo_ref: 'refs/heads/main' }
    expect(versionOf({ ...repository, repo_commit_sha: 'abc' })).toEqual({
      kind: 'repository',
      name: 'main',
      exact: 'abc',
    })
    const image = { ...nothing, image_uri: 'example.com:5000/a:1.2@sha256:abc' }
    expect(versionOf(image)).toEqual({ kind: 'image', name: '1.2', exact: 'sha256:abc' })
    expect(versionOf({ ...nothing, image_uri: 'example.com:5000/a', image_version: '3' })?.name).toBe('3')
    expect(versionOf({ ...nothing, source_tarball_path: 'a.tgz' })?.kind).toBe('archive')
    expect(versionOf(nothing)).toBeNull()
  })

  const repository = (name: string | null, exact: string | null): Version => ({
    kind: 'repository',
    name,
    exact,
  })

  it('compares by commit if both have one, and by branch otherwise', () => {
    expect(versionsDiffer([repository('main', 'a'), repository('release', 'a')])).toBe(false)
    expect(versionsDiffer([repository('main', 'a'), repository('main', 'b')])).toBe(true)
    expect(versionsDiffer([repository('main', 'a'), repository('main', null)])).toBe(false)
    expect(versionsDiffer([repository('main', 'a'), repository('release', null)])).toBe(true)
    expect(versionsDiffer([repository('main', 'a'), null, repository(null, null)])).toBe(false)
    expect(versionsDiffer([repository('main', 'a'), { kind: 'image', name: 'main', exact: 'a' }])).toBe(true)
  })

  const part = fc.option(fc.constantFrom('a', 'b', 'refs x%y', 'ä'))
  const versions = fc.array(
    fc.option(
      fc.record({
        kind: fc.constantFrom('repository', 'image', 'archive'),
        name: part,
        exact: part,
      }) as fc.Arbitrary<Version>,
    ),
    { maxLength: 5 },
  )

  it('gives the same result in any order, and for versions that were serialised', () => {
    fc.assert(
      fc.property(versions, (some) => {
        const differ = versionsDiffer(some)
        expect(versionsDiffer([...some].reverse())).toBe(differ)
        expect(versionsDiffer(some.map((one) => versionFrom(versionKey(one))))).toBe(differ)
        const pairs = some.flatMap((one, at) => some.slice(at + 1).map((other) => [one, other]))
        expect(pairs.some((pair) => versionsDiffer(pair))).toBe(differ)
      }),
    )
  })
})

describe('rows of the board', () => {
  /** A deployment of the test: where it is, and which agent it is by inference and by manual assignment. */
  interface Known {
    column: number
    place: number
    inferred: string
    byHand: string | null
    version: string
  }

  const keys = ['a', 'b', 'c', 'd'].map((name) =>
    agentKey({ agent_id: null, name, repo_url: null, graph_config_path: null, image_uri: null }),
  )
  const key = fc.constantFrom(...keys)
  const known = fc
    .array(
      fc.record({
        column: fc.nat({ max: 2 }),
        inferred: key,
        byHand: fc.option(key),
        version: fc.constantFrom('', 'image 1 ', 'image 2 '),
      }),
      { maxLength: 20 },
    )
    .map((all): Known[] => all.map((one, place) => ({ ...one, place })))

  function entriesOf(all: readonly Known[], by: 'inferred' | 'byHand'): Map<string, Entry> {
    return new Map(
      keys.flatMap((agent) => {
        const members = all
          .filter((one) => one[by] === agent)
          .map(({ place, version }): Member => [place, version])
        return members.length > 0 ? [[agent, { matches: false, members }]] : []
      }),
    )
  }

  const columnsOf = (all: readonly Known[]): Map<string, ColumnOfRows> =>
    new Map(
      [0, 1, 2].map((column) => {
        const own = all.filter((one) => one.column === column)
        const assigned = own.filter(({ byHand }) => byHand !== null)
        return [
          String(column),
          {
            isComplete: true,
            inferred: entriesOf(own, 'inferred'),
            byHand: entriesOf(assigned, 'byHand'),
            assigned: new Map(assigned.map(({ place, byHand }) => [place, byHand])),
          },
        ]
      }),
    )

  it('have every deployment once, where it was assigned by the operator, or else where it belongs', () => {
    fc.assert(
      fc.property(known, (all) => {
        const columns = columnsOf(all)
        const agents = agentsIn(columns.values())
        expect(agents).toEqual([...new Set(agents)].sort())
        const found = agents.flatMap((agent) =>
          [...(rowOf(agent, columns)?.members ?? [])].flatMap(([column, own]) =>
            own.map(([place]) => ({ agent, column: Number(column), place })),
          ),
        )
        const expected = all.map(({ byHand, inferred, column, place }) => ({
          agent: byHand ?? inferred,
          column,
          place,
        }))
        const byPlace = (one: { place: number }, other: { place: number }): number => one.place - other.place
        expect(found.sort(byPlace)).toEqual(expected)
      }),
    )
  })

  const row = (columns: (readonly Member[])[], isComplete = true): AgentRow => {
    const known = columns.map((members, index): [string, ColumnOfRows] => {
      const inferred = new Map(members.length > 0 ? [['a', { matches: true, members }]] : [])
      return [String(index), { isComplete, inferred, byHand: new Map(), assigned: new Map() }]
    })
    return rowOf('a', new Map(known))!
  }

  it('keep two deployments of one environment, and say whether versions differ and where one is missing', () => {
    const two: Member[] = [
      [1, 'image 1 '],
      [2, 'image 2 '],
    ]
    expect(row([two]).members.get('0')).toHaveLength(2)
    expect(row([two]).versionsDiffer).toBe(true)
    expect(row([[[1, 'image 1 ']], [[9, 'image 1 ']]])).toMatchObject({
      versionsDiffer: false,
      isMissing: false,
    })
    expect(row([[[1, 'image 1 ']], []])).toMatchObject({ versionsDiffer: false, isMissing: true })
  })

  it('call a deployment missing only if everything is known', () => {
    expect(row([[[1, '']], []], false)).toMatchObject({ isMissing: false })
  })
})
