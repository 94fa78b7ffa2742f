import { execFile } from 'node:child_process'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { importedRepositorySchema, mostRepositories, type Refs } from '../api/schemas'
import { Refusal } from '../base/failures'
import { integrationOf, notPlain, numberOf, type ReadRepositories } from './read-repositories'

/** The names of an integration and its repositories. */
export interface FolderNames {
  /** By default, one that is derived from the folder. */
  integration?: string
  /** The part of a repository's URL before its path; `file:` by default. */
  urlPrefix?: string
}

/**
 * Reads the git repositories in a folder and its subfolders, bare or with a work tree: NAME.git, or OWNER/NAME. Runs
 * nothing of a repository, and follows no links to folders.
 *
 * @throws {Refusal} if the folder can't be read, or git is missing
 */
export async function readGitFolder(
  folder: string,
  { integration, urlPrefix }: FolderNames,
): Promise<ReadRepositories> {
  const root = await realpath(folder)
  await runGit(root, ['--version']).catch(() => {
    throw new Refusal('git is missing: install it, then import again. Nothing was imported.')
  })
  const read: ReadRepositories = { repositories: [], leftOut: [] }
  for (const [inside, gitDirectory] of await findRepositories(root, read.leftOut)) {
    const path = relative(root, inside)
    try {
      const { branch, refs } = await readRepository(gitDirectory)
      const parent = dirname(path)
      const address = path.split(sep).map(encodeURIComponent).join('/')
      const { success, data } = importedRepositorySchema.safeParse({
        host_integration_id: integration ?? integrationOf(pathToFileURL(root).href),
        id: numberOf(path),
        name: basename(path).replace(/\.git$/, ''),
        owner: parent === '.' ? basename(root) : parent,
        url:
          urlPrefix === undefined ? pathToFileURL(inside).href : `${urlPrefix.replace(/\/$/, '')}/${address}`,
        default_branch: branch,
      })
      if (success) read.repositories.push({ answer: data, refs })
      else read.leftOut.push(`${path}: ${notPlain}`)
    } catch (error) {
      read.leftOut.push(`${path}: ${reasonOf(error)}`)
    }
  }
  return read
}

/**
 * The repositories in a folder, and in those of its subfolders that aren't repositories, each with its git directory.
 * Unreadable folders are added to `leftOut`.
 */
async function findRepositories(
  root: string,
  leftOut: string[],
): Promise<[folder: string, gitDirectory: string][]> {
  const found: [string, string][] = []
  let looked = 0

  async function look(folder: string, levels: number): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true })
    // Links may lead out of the folder.
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
    for (const inside of folders.sort()) {
      looked += 1
      if (looked > mostRepositories) {
        throw new Refusal(`${root} has more than ${mostRepositories} folders. Nothing was imported.`)
      }
      const gitDirectory = await gitDirectoryOf(inside)
      if (gitDirectory !== null) found.push([inside, gitDirectory])
      else if (levels > 1) {
        await look(inside, levels - 1).catch((error: unknown) => {
          if (error instanceof Refusal) throw error
          leftOut.push(`${relative(root, inside)}: ${reasonOf(error)}`)
        })
      }
    }
  }

  await look(root, 2)
  return found
}

/** The git directory of a repository; null if a folder isn't one. */
async function gitDirectoryOf(folder: string): Promise<string | null> {
  for (const directory of [folder, join(folder, '.git')]) {
    const parts = ['', 'objects', 'refs'].map((name) => lstat(join(directory, name)).catch(() => null))
    if ((await Promise.all(parts)).every((part) => part?.isDirectory())) return directory
  }
  return null
}

const heads = 'refs/heads/'

/** The refs of a repository that lead to commits, and its default branch: that of HEAD, or what is most likely it. */
async function readRepository(gitDirectory: string): Promise<{ branch: string; refs: Refs }> {
  const git = (args: readonly string[], input?: string) => runGit(gitDirectory, args, input)
  const listed = await git(['for-each-ref', '--format=%(refname)', heads, 'refs/tags'])
  const names = listed.split('\n').filter(Boolean)
  const questions = names.map((name) => `${name}^{commit}\n`).join('')
  const answers = (await git(['cat-file', '--batch-check=%(objectname)'], questions)).split('\n')
  const commits = names.map((name, index) => [name, answers[index] ?? ''] as const)
  const refs = Object.fromEntries(commits.filter(([, commit]) => /^[\da-f]+$/.test(commit)))
  const head = await git(['symbolic-ref', '--quiet', 'HEAD']).catch(() => '')
  const branches = Object.keys(refs).filter((name) => name.startsWith(heads))
  const likely = [head.trim(), `${heads}main`, `${heads}master`].find((name) => branches.includes(name))
  const chosen = likely ?? branches[0]
  if (chosen === undefined) throw new Error('it has no branch with a commit')
  return { branch: chosen.slice(heads.length), refs }
}

const execute = promisify(execFile)

/**
 * Runs git on a git directory, and gives its output. These commands run no hooks, filters or helpers of a repository, and
 * the environment forbids what a partial clone would: to ask its remote. Rejects if git fails, takes too long, or has too
 * much to say.
 */
async function runGit(gitDirectory: string, args: readonly string[], input = ''): Promise<string> {
  const running = execute('git', ['--no-pager', ...args], {
    cwd: gitDirectory,
    env: {
      PATH: process.env.PATH,
      SystemRoot: process.env.SystemRoot,
      LC_ALL: 'C',
      GIT_DIR: gitDirectory,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ALLOW_PROTOCOL: '',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeout: 20_000,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
    windowsHide: true,
  })
  // git may end before it has read everything. Its error output then has the reason.
  running.child.stdin?.on('error', () => undefined).end(input)
  return (await running).stdout
}

/** Why a repository was left out, in one line. */
function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as { killed?: boolean; stderr?: string; message: string }
  if (killed) return 'git took too long, or had too much to say'
  const said = stderr?.trim().split('\n', 1)[0] || message
  return said.replace(/[^ -~]/g, '?').slice(0, 300)
}
