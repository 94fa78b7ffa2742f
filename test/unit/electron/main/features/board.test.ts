import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CallInput, type CallOutput, fail, failure, type Outcome, succeed } from '@contract'
import { cacheNotes } from '@contract/cache'
import type { CacheRequest } from '../../../../../electron/cache/protocol'
import { agentOf, ownAgentKey } from '@domain/agents/identity'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAllCaches } from '../../../../../electron/main/features/all-caches'
import { createBoard } from '../../../../../electron/main/features/board'
import { type Agents, createAgents } from '../../../../../electron/main/stored/personal/agents'
import { type Cache, createCache } from '../../../../../electron/main/processes/cache-client'
import { answered, pageBody } from '../../../../support/builders/answer-bodies'
import { forkCacheHere } from '../../../../support/cache/cache-here'
import { environmentsLeading, type Leads, openPersonalIn } from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../electron/main/processes/store-process'

type Page = CallOutput<'board.page'>

const signal = new AbortController().signal
const span = { sentAt: 1_000, receivedAt: 1_010 }

let folder: string
let leads: Map<string, Leads>
/** Called before the cache process gets a request. */
let before: (request: CacheRequest) => void
let keys: Map<string, string>
let cache: Cache
let agents: Agents
let board: ReturnType<typeof createBoard>
let serviceOf: (id: string) => string

beforeEach(() => {
  folder = temporaryFolder()
  leads = new Map()
  before = () => undefined
  keys = new Map()
  open()
})

/** Opens the caches of the folder, as a new start does. */
function open(): void {
  const process = forkCacheHere()
  cache = createCache({
    process: createStoreProcess({
      fork: () => ({
        ...process,
        postMessage(message) {
          before((message as { request: CacheRequest }).request)
          process.postMessage(message)
        },
      }),
    }),
    keys: {
      keyFor(id) {
        const key = keys.get(id) ?? String(keys.size).padStart(64, 'a')
        keys.set(id, key)
        return Promise.resolve(succeed(key))
      },
      forget: async (id) => void keys.delete(id),
    },
    exists: (id) => leads.has(id),
    target: (environmentId) => {
      const to = leads.get(environmentId)
      return Promise.resolve(
        to ? succeed({ environmentId, ...to }) : fail(failure('not-found', 'It is gone.')),
      )
    },
    folder: join(folder, 'caches'),
    notice: () => undefined,
  })
  const known = environmentsLeading(leads)
  serviceOf = known.serviceOf
  agents = createAgents(openPersonalIn(folder), known.environments)
  board = createBoard({
    allCaches: createAllCaches(cache, known.environments, Promise.resolve()),
    agents,
    environments: known.environments,
  })
}

afterEach(async () => {
  await cache.close()
})

let next = 0

/** A deployment of a repository. Its name says which service it belongs to. */
const deployment = (service: string, repository: string, commit = 'a', id = (next += 1)): unknown =>
  answered(id, {
    name: `${repository}@${service}`,
    source_config: { repo_url: `https://example.com/${repository}` },
    source_revision_config: { repo_ref: 'main', repo_commit_sha: commit, image_uri: null },
  })

async function fill(id: string, service: string, resources: unknown[], isSynchronised = true): Promise<void> {
  leads.set(id, { baseUrl: `https://${service}`, headers: {} })
  const from = value(await cache.service(id))
  for (let at = 0; at < resources.length; at += 100) {
    const body = pageBody(resources.slice(at, at + 100))
    value(await cache.ask(id, 'write-page', { body, span, run: null }, from))
  }
  if (isSynchronised)
    value(await cache.ask(id, 'write-note', { key: cacheNotes.synchronisedAt, value: '1000' }, from))
}

function value<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value
}

const ask = (more: Partial<CallInput<'board.page'>> = {}): Promise<Outcome<Page>> => {
  const environmentIds = [...leads.keys()]
  return board['board.page'](
    {
      environmentIds,
      search: '',
      onlyDiffering: false,
      snapshot: null,
      offset: 0,
      limit: 100,
      cellsOf: environmentIds.slice(0, 24),
      isWhole: true,
      ...more,
    },
    signal,
  )
}

/** The rows as texts: the agent, and the names of deployments in each environment. */
const shown = (page: Page): string[] =>
  page.rows.map(({ agent, cells, versionsDiffer, isMissing, isPinned }) =>
    [
      agentOf(agent)?.title,
      ...Object.entries(cells).map(
        ([id, cell]) => `${id}: ${cell.deployments.map(({ name }) => name).join(' ')}`,
      ),
      ...(versionsDiffer ? ['differs'] : []),
      ...(isMissing ? ['missing'] : []),
      ...(isPinned ? ['pinned'] : []),
    ].join(' | '),
  )

describe('rows', () => {
  test('distinguish what is not synchronised from what does not exist, and create no cache', async () => {
    await fill('dev', 'd', [deployment('d', 'a')])
    await fill('part', 'q', [deployment('q', 'b')], false)
    leads.set('new', { baseUrl: 'https://n', headers: {} })
    const page = value(await ask())
    expect(page.columns.map(({ state, cache: of }) => [state, of?.synchronisedAt ?? null])).toEqual([
      ['cached', expect.any(String)],
      ['cached', null],
      ['not-synchronised', null],
    ])
    expect(shown(page)).toEqual(['a | dev: a@d | part:  | new: ', 'b | dev:  | part: b@q | new:  | missing'])
    expect(readdirSync(join(folder, 'caches')).filter((name) => name.endsWith('.db'))).toEqual([
      'dev.db',
      'part.db',
    ])
  })

  test('are read in parts, each once, and keep their positions', async () => {
    const names = Array.from({ length: 230 }, (_, index) => `r${String(index).padStart(3, '0')}`)
    await fill(
      'dev',
      'd',
      names.map((name) => deployment('d', name)),
    )
    await fill(
      'prod',
      'p',
      names.filter((_, index) => index % 3 > 0).map((name) => deployment('p', name)),
    )
    const first = value(await ask({ limit: 25, isWhole: false }))
    expect(first.rows).toHaveLength(25)
    const { snapshot } = first
    const rows: string[] = []
    for (let offset = 0; offset < 230; offset += 100) {
      rows.push(...shown(value(await ask({ snapshot, offset }))))
    }
    expect(rows).toHaveLength(230)
    expect(rows[100]).toBe('r100 | dev: r100@d | prod: r100@p')
    expect(value(await ask({ snapshot, limit: 0 }))).toMatchObject({ total: 230, isWhole: true, rows: [] })
  })
})

describe('what the operator assigns by hand', () => {
  const assign = (environmentId: string, index: number, agent: string | null) =>
    agents.answers['agents.assign'](
      {
        environmentId,
        service: serviceOf(environmentId),
        deploymentId: answered(index).id as string,
        agent,
      },
      signal,
    )

  test('always counts, can be undone, and belongs to the service', async () => {
    await fill('dev', 'd', [deployment('d', 'a', '1', 501)])
    await fill('prod', 'p', [deployment('p', 'b', '1', 502)])
    const { agent: a } = value(await ask()).rows[0]!
    expect(value(await assign('prod', 502, a))).toEqual({ before: null })
    const joined = value(await ask())
    expect(shown(joined)).toEqual(['a | dev: a@d | prod: b@p'])
    expect(joined.rows[0]?.cells.prod?.deployments[0]?.byHand).toBe(true)
    expect(shown(value(await ask({ search: 'b@p' })))).toEqual(['a | dev: a@d | prod: b@p'])
    expect(value(await assign('prod', 502, ownAgentKey('own-prod', 'x')))).toEqual({ before: a })
    expect(shown(value(await ask()))[1]).toBe('own | dev:  | prod: b@p | missing')
    value(await assign('prod', 502, null))
    expect(shown(value(await ask()))[1]).toBe('b | dev:  | prod: b@p | missing')

    value(await assign('prod', 502, a))
    await fill('prod', 'other', [deployment('other', 'b', '1', 502)])
    expect(shown(value(await ask()))[1]).toBe('b | dev:  | prod: b@other | missing')
  })

  test('is refused for a service that the environment no longer leads to', async () => {
    await fill('dev', 'd', [deployment('d', 'a', '1', 503)])
    const service = serviceOf('dev')
    leads.set('dev', { baseUrl: 'https://other', headers: {} })
    const input = { environmentId: 'dev', service, deploymentId: 'x', agent: null }
    expect(await agents.answers['agents.assign'](input, signal)).toMatchObject({
      failure: { code: 'environment-changed' },
    })
  })
})

describe('an environment', () => {
  test('that is removed meanwhile no longer has a column', async () => {
    await fill('dev', 'd', [deployment('d', 'a')])
    await fill('prod', 'p', [deployment('p', 'a')])
    const { snapshot } = value(await ask({ cellsOf: ['dev'] }))
    leads.delete('prod')
    const page = value(await ask({ snapshot, cellsOf: ['dev', 'prod'] }))
    expect(shown(page)).toEqual(['a | dev: a@d'])
    expect(value(await ask()).columns.map(({ environmentId }) => environmentId)).toEqual(['dev'])
  })

  test('with a cache that is damaged says so, and does not affect the others', async () => {
    await fill('dev', 'd', [deployment('d', 'a')])
    await fill('prod', 'p', [deployment('p', 'b')])
    await cache.close()
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const file = files.find((name) => name.endsWith('prod.db'))
    writeFileSync(join(folder, file!), 'x'.repeat(10_000))
    open()
    const page = value(await ask())
    // Nothing is reported as missing if that isn't known.
    expect(shown(page)).toEqual(['a | dev: a@d | prod: '])
    expect(page.columns).toMatchObject([
      { environmentId: 'dev', state: 'cached' },
      { environmentId: 'prod', state: 'not-synchronised' },
    ])
  })

  test('shows nothing that was read before it led to another service', async () => {
    await fill('dev', 'd', [deployment('d', 'a')])
    const { snapshot } = value(await ask())
    leads.set('dev', { baseUrl: 'https://elsewhere', headers: {} })
    expect(await ask({ snapshot })).toMatchObject({ failure: { code: 'environment-changed' } })
    expect(value(await ask())).toMatchObject({ rows: [], columns: [{ state: 'not-synchronised' }] })
  })
})
