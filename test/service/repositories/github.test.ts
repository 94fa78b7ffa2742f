import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inProject } from '../../../electron/launcher/base.mjs'
import { runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { temporaryFolder } from '../../support/service/service-process'
import { creation, post } from '../../support/service/client'
import { repositoriesOf } from '../../support/service/folders'
import { type GithubStub, type HostedRepository, startGithub } from '../../support/service/github-stub'

const token = `ghp_${randomBytes(18).toString('hex')}`

let service: ServiceHere
let folder: string
let tokenFile: string

beforeAll(async () => {
  folder = temporaryFolder()
  tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, `${token}\n`)
  service = await startService({ args: ['--check-repositories'] })
})
afterAll(async () => {
  await service.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const it = test.extend<{ github: GithubStub }>({
  // eslint-disable-next-line no-empty-pattern -- vitest reads the fixtures' names in it
  github: async ({}, use) => {
    const github = await startGithub()
    await use(github)
    await github.close()
  },
})

const sha = (): string => randomBytes(20).toString('hex')

const hosted = (id: number, refs: Partial<HostedRepository> = {}): HostedRepository => ({
  id,
  name: `agent-${id}`,
  branches: { main: sha() },
  tags: {},
  ...refs,
})

/** Imports an owner, and returns the result, which must not contain the token. */
async function imported(github: GithubStub, owner: string, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(
    service.data,
    ...['repositories', 'import', `github:${owner}`, '--api-url', github.url, '--token-file', tokenFile],
    ...args,
  )
  expect(stdout + stderr + service.log()).not.toContain(token)
  return { code, stderr, integration: stdout.trim() }
}

const namesOf = async (integration: string) =>
  (await repositoriesOf(service.url, integration))?.map(({ name }) => name)

describe.concurrent('an import from GitHub', () => {
  it('all pages of an organisation are imported, except archived repositories', async ({ github }) => {
    github.orgs.northwind = Array.from({ length: 250 }, (_, index) => hosted(index + 1))
    github.orgs.northwind[1]!.archived = true
    const { code, stderr, integration } = await imported(github, 'northwind')
    expect(code).toBe(0)
    expect(stderr).toContain('Imported 249 repositories')
    expect(stderr).toContain('agent-2: it is archived')
    const listed = await repositoriesOf(service.url, integration)
    expect(listed).toHaveLength(249)
    expect(listed![0]).toEqual({
      host_integration_id: integration,
      id: 1,
      name: 'agent-1',
      owner: 'northwind',
      url: 'https://github.com/northwind/agent-1',
      default_branch: 'main',
    })
    expect(github.requests).toHaveLength(3)
    for (const { headers } of github.requests) {
      expect(headers.authorization).toBe(`Bearer ${token}`)
      expect(headers['user-agent']).toBe('slipway-service')
      expect(headers['x-github-api-version']).toBe('2022-11-28')
    }
  })

  it('a user is imported too, again under the same identifier, with branches and tags on request', async ({
    github,
  }) => {
    const [main, tagged] = [sha(), sha()]
    const branches = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`b${index}`, sha()]))
    github.users.ada = [hosted(7, { branches: { ...branches, main }, tags: { 'v1/a': tagged } })]
    const { integration } = await imported(github, 'ada', '--refs')
    expect((await imported(github, 'ada', '--refs')).integration).toBe(integration)
    const from = async (ref: string) => {
      const { status, body } = await post(
        service.url,
        creation('repohost', {
          source_config: { integration_id: integration, repo_url: 'https://github.com/ada/agent-7' },
          source_revision_config: { repo_ref: ref, graph_config_path: 'agent.json' },
        }),
      )
      return [status, body.source_revision_config?.repo_commit_sha]
    }
    expect(await from('main')).toEqual([201, main])
    expect(await from('b119')).toEqual([201, branches.b119])
    expect(await from('v1/a')).toEqual([201, tagged])
    expect((await from('v2'))[0]).toBe(400)
  })

  it('the import waits for a rate limit, and retries after a failure', async ({ github }) => {
    github.orgs.northwind = [hosted(1)]
    github.next = [
      [403, { message: 'limit' }, { 'retry-after': '1' }],
      [502, { message: 'gateway' }],
    ]
    const { code, integration } = await imported(github, 'northwind')
    expect(code).toBe(0)
    expect(await namesOf(integration)).toEqual(['agent-1'])
    expect(github.requests.map(({ status }) => status)).toEqual([403, 502, 200])
  })

  it('a long rate limit ends the import, which says when the limit ends', async ({ github }) => {
    const end = Math.ceil(Date.now() / 1_000) + 3_000
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(end) }
    github.next = [[403, { message: 'limit' }, headers]]
    const { code, stderr } = await imported(github, 'northwind')
    expect(code).toBe(1)
    expect(stderr).toContain(
      `takes no more requests until ${new Date(end * 1_000).toISOString().slice(0, 18)}`,
    )
    expect(github.requests).toHaveLength(1)
  })

  it('a redirect is followed, to another host without the token, but no next page elsewhere', async ({
    github,
  }) => {
    const other = await startGithub()
    try {
      other.orgs.northwind = [hosted(2)]
      github.orgs.northwind = [hosted(1)]
      for (const [to, names] of [
        ['/orgs/northwind/repos?per_page=100&again', ['agent-1']],
        [`${other.url}/orgs/northwind/repos`, ['agent-2']],
      ] as const) {
        github.next = [[301, {}, { location: to }]]
        expect(await namesOf((await imported(github, 'northwind')).integration)).toEqual(names)
      }
      expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])

      github.next = [[200, [], { link: `<${other.url}/orgs/northwind/repos?page=2>; rel="next"` }]]
      const refused = await imported(github, 'northwind')
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('leads to another host')])
      expect(other.requests).toHaveLength(1)
    } finally {
      await other.close()
    }
  })

  it.for([
    ['refuses the token', 401, { message: 'Bad credentials' }, 'refuses the token'],
    ['lacks a permission', 403, { message: 'no' }, 'may lack a permission'],
    ['answers something else', 200, { message: 'hello' }, "didn't answer what GitHub's documentation says"],
    ['answers a page without an end', 200, [{ id: 1, name: 'x'.repeat(17_000_000) }], 'larger than 16 MiB'],
  ] as const)('a host that %s changes nothing', async ([_what, status, body, reason], { github }) => {
    github.orgs.northwind = [hosted(1)]
    const { integration } = await imported(github, 'northwind')
    github.next = [[status, body]]
    const { code, stderr } = await imported(github, 'northwind')
    expect(code).toBe(1)
    expect(stderr).toContain(reason)
    expect(stderr).toContain('Nothing was imported')
    expect(await namesOf(integration)).toEqual(['agent-1'])
  })

  it('unexpected answers and texts that are not plain are refused or left out', async ({ github }) => {
    github.orgs.northwind = [hosted(1), hosted(2, { name: 'a\u0000b' }), hosted(3, { name: '\ud800' })]
    github.next = [[304, null]]
    const unasked = await imported(github, 'northwind')
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('answered 304')])
    expect(unasked.stderr).not.toMatch(/\n\s+at /)
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9'.repeat(20) }
    github.next = [[403, {}, headers]]
    expect((await imported(github, 'northwind')).stderr).toContain('takes no more requests until')

    const { code, stderr, integration } = await imported(github, 'northwind')
    expect(code).toBe(0)
    expect(stderr).toContain('a?b: its name, address or branch is too long, blank or no plain text')
    expect(await namesOf(integration)).toEqual(['agent-1'])
  })

  it('an unknown owner and an unreachable host are named', async ({ github }) => {
    expect((await imported(github, 'nobody')).stderr).toContain('has no owner "nobody"')
    await github.close()
    const { code, stderr } = await imported(github, 'northwind')
    expect(code).toBe(1)
    expect(stderr).toContain(`${github.url} can't be reached (ECONNREFUSED)`)
  })

  test('a token is never sent without TLS', async () => {
    const args = ['repositories', 'import', 'github:northwind', '--token-file', tokenFile]
    const { code, stderr } = await runCommand(service.data, ...args, '--api-url', 'http://git.example/api/v3')
    expect(code).toBe(1)
    expect(stderr).toContain('--api-url must be https with a token')
  })

  // The same applies to PostgreSQL, whose address only `runCommand` knows.
  it.skipIf(process.env.SLIPWAY_TEST_POSTGRES)(
    'a repeated import follows changes, and requests only what changed',
    async ({ github }) => {
      github.orgs.northwind = [hosted(1)]
      const { integration } = await imported(github, 'northwind')
      github.requests.length = 0
      const child = spawn(
        process.execPath,
        [
          inProject('out/service/service.cjs'),
          ...['repositories', 'import', 'github:northwind', '--api-url', github.url, '--every', '1s'],
          ...['--data', service.data],
        ],
        { env: { ...process.env, SLIPWAY_GITHUB_TOKEN: token }, stdio: ['ignore', 'pipe', 'pipe'] },
      )
      try {
        let output = ''
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (text: Buffer) => (output += text.toString()))
        await vi.waitFor(
          () => expect(github.requests.map(({ status }) => status)).toEqual([200, 304, 304]),
          20_000,
        )
        github.next = [1, 2, 3].map(() => [500, {}])
        await vi.waitFor(() => expect(output).toContain('answered 500'), 20_000)
        github.orgs.northwind.push(hosted(2))
        await vi.waitFor(
          async () => expect(await namesOf(integration)).toEqual(['agent-1', 'agent-2']),
          20_000,
        )
        expect(output).not.toContain(token)
        const { stdout: audit } = await runCommand(service.data, 'audit')
        expect(audit.split(integration)).toHaveLength(4)
      } finally {
        child.kill()
        await once(child, 'exit')
      }
    },
  )
})
