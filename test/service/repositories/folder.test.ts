import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { temporaryFolder } from '../../support/service/service-process'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import {
  type Answer,
  ask,
  create,
  creation,
  expectRefused,
  nobody,
  post,
  type Revision,
  revisionsOf,
} from '../../support/service/client'
import { commit, git, makeRepository, repositoriesOf } from '../../support/service/folders'

let service: ServiceHere
let folder: string
const folders: string[] = []

beforeAll(async () => {
  service = await startService({ args: ['--check-repositories'] })
})
afterAll(async () => {
  await service.dispose()
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})
beforeEach(() => {
  folder = realpathSync(temporaryFolder())
  folders.push(folder)
})

/** Imports the folder, and returns what the service then lists of it. */
async function imported(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(service.data, 'repositories', 'import', folder, ...args)
  const integration = stdout.trim()
  return {
    code,
    stderr,
    integration,
    listed: code === 0 ? await repositoriesOf(service.url, integration) : null,
  }
}

/** Creates from a ref of a repository, and returns the status and the commit or the reason. */
async function createFrom(integration: string, url: string, ref: string): Promise<[number, unknown]> {
  const { status, body } = await post<{
    detail?: string
    source_revision_config?: { repo_commit_sha: string | null }
  }>(
    service.url,
    creation('repohost', {
      source_config: { integration_id: integration, repo_url: url },
      source_revision_config: { repo_ref: ref, graph_config_path: 'agent.json' },
    }),
  )
  return [status, body.detail ?? body.source_revision_config?.repo_commit_sha]
}

it('repositories are listed bare or not, alone or by owner, and again under the same identifiers', async () => {
  makeRepository(folder, 'writer')
  const helper = makeRepository(folder, 'northwind/helper', 'trunk')
  git(folder, 'clone', '--quiet', '--bare', helper, 'northwind/helper-copy.git')
  git(folder, 'init', '--quiet', 'empty')
  mkdirSync(join(folder, 'notes'))
  const { code, stderr, integration, listed } = await imported()
  expect(code).toBe(0)
  expect(stderr).toContain('empty: it has no branch with a commit')
  const seen = listed!.map(({ owner, name, url, default_branch }) => [owner, name, url, default_branch])
  const at = (path: string): string => pathToFileURL(join(folder, path)).href
  expect(seen.sort()).toEqual(
    [
      [basename(folder), 'writer', at('writer'), 'main'],
      ['northwind', 'helper', at('northwind/helper'), 'trunk'],
      ['northwind', 'helper-copy', at('northwind/helper-copy.git'), 'trunk'],
    ].sort(),
  )
  rmSync(join(folder, 'writer'), { recursive: true })
  const again = await imported()
  expect(again.integration).toBe(integration)
  expect(again.listed).toEqual(listed!.filter(({ name }) => name !== 'writer'))
})

it('names and URLs can be specified', async () => {
  makeRepository(folder, 'north wind/helper#1')
  const integration = randomUUID()
  const prefix = 'https://git.example/agents'
  const { listed } = await imported('--integration', integration.toUpperCase(), '--url-prefix', prefix)
  expect(listed!.map(({ host_integration_id, url }) => [host_integration_id, url])).toEqual([
    [integration, `${prefix}/north%20wind/helper%231`],
  ])
})

it('the last commits of branches and tags are known, loose and packed, and no others', async () => {
  const repository = makeRepository(folder, 'writer')
  git(repository, 'tag', '--annotate', '--message', 'first', 'v1')
  const first = git(repository, 'rev-parse', 'v1^{commit}')
  git(repository, 'branch', 'same')
  git(repository, 'pack-refs', '--all')
  const second = commit(repository, 'second')
  git(repository, 'tag', 'same')
  git(repository, 'update-ref', 'refs/secret/thing', second)
  // A branch whose commit is missing isn't known.
  writeFileSync(join(repository, '.git/refs/heads/broken'), `${'1'.repeat(40)}\n`)
  const { integration, listed } = await imported()
  const from = (ref: string) => createFrom(integration, listed![0]!.url, ref)
  expect(await from('main')).toEqual([201, second])
  expect(await from('refs/heads/main')).toEqual([201, second])
  expect(await from('v1')).toEqual([201, first])
  expect(await from('same')).toEqual([201, first])
  expect(await from('refs/tags/same')).toEqual([201, second])
  expect(await from(second)).toEqual([201, second])
  const unknown = 'source_revision_config.repo_ref: The repository has no such branch or tag.'
  for (const ref of ['refs/secret/thing', 'broken', 'HEAD', 'mai', 'refs/heads/main"', '$.main']) {
    expect(await from(ref), ref).toEqual([400, unknown])
  }
})

it('repositories with SHA-256 are read too', async () => {
  const repository = makeRepository(folder, 'writer', 'main', '--object-format=sha256')
  const { integration, listed } = await imported()
  expect(await createFrom(integration, listed![0]!.url, 'main')).toEqual([
    201,
    git(repository, 'rev-parse', 'HEAD'),
  ])
})

it('links and gitdir pointers to elsewhere are not followed', async () => {
  const outside = realpathSync(temporaryFolder())
  folders.push(outside)
  const secret = makeRepository(outside, 'secret')
  symlinkSync(secret, join(folder, 'linked'))
  mkdirSync(join(folder, 'pointed'))
  writeFileSync(join(folder, 'pointed/.git'), `gitdir: ${join(secret, '.git')}\n`)
  makeRepository(folder, 'writer')
  expect((await imported()).listed!.map(({ name }) => name)).toEqual(['writer'])
})

it('a folder without repositories changes nothing', async () => {
  makeRepository(folder, 'writer')
  const { integration, listed } = await imported()
  rmSync(join(folder, 'writer'), { recursive: true })
  const { code, stderr } = await imported()
  expect(code).toBe(1)
  expect(stderr).toContain('Nothing was imported')
  expect(await repositoriesOf(service.url, integration)).toEqual(listed)
})

it('a change and a revision are checked like a creation, and have the commit of their ref', async () => {
  const repository = makeRepository(folder, 'agent')
  const first = git(repository, 'rev-parse', 'HEAD')
  const { integration, listed } = await imported()
  const { id } = await create(service.url, 'repohost', {
    source_config: { integration_id: integration, repo_url: listed![0]!.url },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agent.json' },
  })
  const naming = (repo_ref: string) => ({ source_revision_config: { repo_ref } })
  git(repository, 'branch', 'next')
  const second = commit(repository, 'second')
  await imported()
  const commitOf = ({ body }: Answer<Revision | DeploymentAnswer>) =>
    body.source_revision_config.repo_commit_sha
  expect(commitOf(await ask(service.url, 'PATCH', id, naming('next')))).toBe(first)
  expect(commitOf(await ask<Revision>(service.url, 'POST', `${id}/revisions`, naming('main')))).toBe(second)
  // A redeployment uses the revision's own commit.
  const revisions = await revisionsOf(service.url, id)
  const again = await ask(service.url, 'POST', `${id}/revisions/${revisions[1]!.id}/redeploy`)
  expect(again.body.source_revision_config).toEqual(revisions[1]!.source_revision_config)

  const count = (await revisionsOf(service.url, id)).length
  for (const [method, path] of [
    ['PATCH', id],
    ['POST', `${id}/revisions`],
  ] as const) {
    await expectRefused(ask(service.url, method, path, naming('gone')), 400, 'repo_ref: ')
  }
  // A ref that no longer exists can't be built again either. A change without a revision needs no ref.
  git(repository, 'branch', '-D', 'next')
  await imported()
  expect((await ask(service.url, 'PATCH', id, { secrets: [{ name: 'A', value: 'b' }] })).status).toBe(400)
  expect((await ask(service.url, 'POST', `${id}/revisions`, {})).status).toBe(400)
  expect((await ask(service.url, 'PATCH', id, { source_config: { install_command: 'make' } })).status).toBe(
    200,
  )
  expect(await revisionsOf(service.url, id)).toHaveLength(count)
  expect((await ask(service.url, 'PATCH', nobody(), naming('main'))).status).toBe(404)
})
