import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { send } from './client'

/** A repository as the service answers it. */
export interface Repository {
  host_integration_id: string
  id: number
  name: string
  owner: string
  url: string
  default_branch: string
}

/** Runs git in a folder, without the machine's config. Returns its output. */
export function git(folder: string, ...args: string[]): string {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** Makes a repository with one commit, and returns its folder. */
export function makeRepository(folder: string, path: string, branch = 'main', ...options: string[]): string {
  const repository = join(folder, path)
  mkdirSync(repository, { recursive: true })
  git(repository, 'init', '--quiet', `--initial-branch=${branch}`, ...options)
  commit(repository, 'first')
  return repository
}

/** Makes an empty commit, and returns its hash. */
export function commit(repository: string, message: string): string {
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', message)
  return git(repository, 'rev-parse', 'HEAD')
}

/** The repositories of an integration; null if there is none. */
export async function repositoriesOf(base: string, id: string): Promise<Repository[] | null> {
  const { status, body } = await send<Repository[]>(`${base}/v1/integrations/forge/repohost/${id}/repos`)
  return status === 404 ? null : body
}
