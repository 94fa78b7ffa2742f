import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentOf } from '../../../../../../electron/domain/agents/identity'
import { createStore, type Store } from '../../../../../../electron/cache/store'
import { openMemory } from '../../../../../../electron/cache/store/file'
import { answered, pageBody } from '../../../../../support/builders/cached-deployments'
const span = { sentAt: 1_000, receivedAt: 1_010 }

let store: Store

beforeEach(() => {
  const memory = openMemory()
  store = createStore(memory)
})

afterEach(() => {
  store.close()
})

interface Wanted {
  repo_url?: string | null
  graph_config_path?: string
  image_uri?: string | null
  repo_ref?: string
  repo_commit_sha?: string
}

function deployment(index: number, name: string, { repo_url = null, ...revision }: Wanted = {}): unknown {
  return answered(index, {
    name,
    source_config: { repo_url },
    source_revision_config: { repo_ref: null, image_uri: null, ...revision },
  })
}

const write = (to: Store, ...resources: unknown[]): void => {
  to.writePage(pageBody(resources), span, null)
}

const ask = (more: Partial<Parameters<Store['agents']>[0]> = {}) =>
  store.agents({ search: '', after: null, limit: 100, only: null, ...more })

const titles = (entries: ReturnType<typeof ask>): (string | undefined)[] =>
  entries.map(([agent]) => agentOf(agent)?.title)

const repo_url = 'https://github.com/acme/agents'

describe('agents', () => {
  it('are in the order of their keys, each with all of its deployments and their versions', () => {
    write(
      store,
      deployment(1, 'one', { repo_url, repo_ref: 'main', repo_commit_sha: 'abc' }),
      deployment(2, 'two', { repo_url: `${repo_url}.git`, repo_ref: 'main' }),
      deployment(3, 'three', { repo_url, graph_config_path: 'b.json' }),
      deployment(4, 'chat-dev'),
      deployment(5, 'other', { image_uri: 'example.com/team/bot:1' }),
    )
    const entries = ask()
    expect(titles(entries)).toEqual(['acme/agents', 'acme/agents · b.json', 'chat', 'team/bot'])
    expect(entries[0]?.[2]).toEqual([
      [2, 'repository main '],
      [1, 'repository main abc'],
    ])
    expect(titles(ask({ limit: 2 }))).toEqual(titles(entries).slice(0, 2))
    expect(titles(ask({ after: entries[1]![0] }))).toEqual(['chat', 'team/bot'])
    expect(titles(ask({ only: [entries[3]![0], 'unknown'] }))).toEqual(['team/bot'])
  })

  it('are what the service says, where it does', () => {
    const stated = { agent: { agent_id: 'support', environment: 'dev' }, source_config: { repo_url } }
    write(store, answered(1, stated), answered(2, { ...stated, agent: null }), answered(3, stated))
    const entries = ask()
    expect(titles(entries)).toEqual(['acme/agents', 'support'])
    expect(entries.map(([, , members]) => members.length)).toEqual([1, 2])
  })

  it('are ordered by letters and numbers', () => {
    const names = ['agent-1', 'Agent-2', 'agent-10', 'ägent-11', 'Kolsås', 'zeta', 'Жук']
    write(store, ...names.toReversed().map((name, index) => deployment(index + 1, name)))
    expect(titles(ask())).toEqual(names.map((name) => name.toLowerCase()))
  })

  it('say which ones match a search, including deployments that do not', () => {
    write(
      store,
      deployment(1, 'sales-dev', { repo_url }),
      deployment(2, 'support-dev', { repo_url }),
      deployment(3, 'chat'),
    )
    expect(ask({ search: 'support' }).map(([, matches, members]) => [matches, members.length])).toEqual([
      [1, 2],
      [0, 1],
    ])
    const ids = [answered(1).id, answered(2).id, 'gone'] as string[]
    expect(store.assignedAgents({ ids, search: 'support' })).toEqual([
      [ids[0], 1, 'repository  ', 0],
      [ids[1], 2, 'repository  ', 1],
    ])
  })

  it('change with an answer, and leave out what is gone', () => {
    write(store, deployment(1, 'chat'), deployment(2, 'bot'))
    write(store, deployment(1, 'chat', { repo_url }))
    expect(titles(ask())).toEqual(['acme/agents', 'bot'])
    store.markGone([answered(2).id as string], { sentAt: 5_000, receivedAt: 5_010 })
    expect(titles(ask())).toEqual(['acme/agents'])
    expect(store.agentCells([1, 2]).map(({ place }) => place)).toEqual([1])
  })
})

describe('cells', () => {
  it('have what is shown of a deployment, and the key of its agent', () => {
    write(store, deployment(1, 'chat-dev', { repo_url, repo_ref: 'main', repo_commit_sha: 'abc' }))
    const [cell] = store.agentCells([1, 99])
    expect(cell).toMatchObject({
      place: 1,
      name: 'chat-dev',
      agent: ask()[0]![0],
      version: 'repository main abc',
      repo_ref: 'main',
    })
  })
})
