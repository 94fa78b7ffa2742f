import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  importedRepositorySchema,
  type KnownRepository,
  mostRepositories,
  type Refs,
} from '../../api/known-repository'
import { Refusal } from '../../base/refusal'
import { integrationOf, numberOf, type ReadRepositories } from '../read-repositories'
import { type GitPlace, runGit } from './git'
import { isFolder, makeView, requireOwnObjects } from './view'

/** The names of an integration and its repositories. */
export interface FolderNames {
  /** Null to derive one from the folder. */
  integrationId: string | null
  /** The part of a repository's URL before its path; null for `file:`. */
  urlPrefix: string | null
}

/** A repository that was found. */
interface Found {
  /** Its folder, and the git directory in it. */
  folder: string
  gitDirectory: string
}

/**
 * Reads the git repositories in a folder and its subfolders, bare or with a work tree: NAME.git, or OWNER/NAME. Runs
 * nothing of a repository, and follows nothing that leads out of the folder.
 *
 * @throws {Refusal} if the folder can't be read, or git is missing
 */
export async function readGitFolder(folder: string, names: FolderNames): Promise<ReadRepositories> {
  const root = await realpath(folder)
  const integrationId = names.integrationId ?? integrationOf(pathToFileURL(root).href)
  const work = await mkdtemp(join(tmpdir(), 'slipway-refs-'))
  try {
    await requireGit(work)
    const read: ReadRepositories = { repositories: [], leftOut: [] }
    for (const found of await findRepositories(root, read.leftOut)) {
      const path = relative(root, found.folder)
      try {
        const view = join(work, String(numberOf(path)))
        const known = await readRepository(found, view)
        await rm(view, { recursive: true })
        const answer = { ...answerOf(root, path, names.urlPrefix), host_integration_id: integrationId }
        const { success, data } = importedRepositorySchema.safeParse({
          ...answer,
          default_branch: known.branch,
        })
        if (success) read.repositories.push({ answer: data, refs: known.refs })
        else read.leftOut.push(`${path}: its name, path or branch is too long, blank or no plain text`)
      } catch (error) {
        read.leftOut.push(`${path}: ${reasonOf(error)}`)
      }
    }
    return read
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function requireGit(work: string): Promise<void> {
  const nowhere: GitPlace = { view: work, objects: work }
  await runGit(nowhere, ['--version']).catch(() => {
    throw new Refusal('git is missing: install it, then import again. Nothing was imported.')
  })
}

/**
 * The repositories in a folder, and in those of its subfolders that aren't repositories. Unreadable folders are added
 * to `leftOut`.
 */
async function findRepositories(root: string, leftOut: string[]): Promise<Found[]> {
  const found: Found[] = []
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
      if (gitDirectory !== null) found.push({ folder: inside, gitDirectory })
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
    if ((await isFolder(join(directory, 'objects'))) && (await isFolder(join(directory, 'refs'))))
      return directory
  }
  return null
}

/** The refs of a repository that lead to commits, and its default branch. */
async function readRepository(
  { gitDirectory }: Found,
  view: string,
): Promise<{ branch: string; refs: Refs }> {
  await makeView(gitDirectory, view)
  const place = { view, objects: join(gitDirectory, 'objects') }
  await requireOwnObjects(place.objects)
  const listed = await runGit(place, ['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags'])
  const names = listed.split('\n').filter(Boolean)
  const questions = names.map((name) => `${name}^{commit}\n`).join('')
  const answers = (await runGit(place, ['cat-file', '--batch-check=%(objectname)'], questions)).split('\n')
  const commits = names.map((name, index) => [name, answers[index] ?? ''] as const)
  const refs = Object.fromEntries(commits.filter(([, commit]) => /^[\da-f]+$/.test(commit)))
  const head = await runGit(place, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => '')
  const branch = defaultBranchOf(head.trim(), Object.keys(refs))
  if (branch === null) throw new Error('it has no branch with a commit')
  return { branch, refs }
}

const heads = 'refs/heads/'

/** The branch that HEAD names. If it doesn't exist, the branch that is most likely the default one. */
function defaultBranchOf(head: string, refs: readonly string[]): string | null {
  const branches = refs.filter((name) => name.startsWith(heads))
  const chosen =
    [head, `${heads}main`, `${heads}master`].find((name) => branches.includes(name)) ?? branches[0]
  return chosen?.slice(heads.length) ?? null
}

function answerOf(root: string, path: string, urlPrefix: string | null) {
  const parent = dirname(path)
  const address = path.split(sep).map(encodeURIComponent).join('/')
  return {
    id: numberOf(path),
    name: basename(path).replace(/\.git$/, ''),
    owner: parent === '.' ? basename(root) : parent,
    url:
      urlPrefix === null
        ? pathToFileURL(join(root, path)).href
        : `${urlPrefix.replace(/\/$/, '')}/${address}`,
  } satisfies Partial<KnownRepository['answer']>
}

/** Why a repository was left out, in one line. */
function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as { killed?: boolean; stderr?: string; message: string }
  if (killed) return 'git took too long, or had too much to say'
  const said = stderr?.trim().split('\n', 1)[0] || message
  return said.replace(/[^ -~]/g, '?').slice(0, 300)
}
