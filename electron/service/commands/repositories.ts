import { readFile, stat } from 'node:fs/promises'
import { z } from '@hono/zod-openapi'
import { importedRepositorySchema, mostRepositories } from '../api/known-repository'
import { Refusal } from '../base/refusal'
import type { Store } from '../database/store'
import { type FolderNames, readGitFolder } from '../hosts/git/folder'
import type { ReadRepositories } from '../hosts/read-repositories'
import { commandEntry } from './audit'
import type { CommandOutput } from './keys'

/** The longest file, in bytes. */
const longestFile = 16 * 1024 * 1024

const fileSchema = z.array(importedRepositorySchema).min(1).max(mostRepositories)

/** How many repositories that were left out are named. */
const mostNamed = 20

/** Where repositories come from, and what to call them. */
interface RepositoryImport extends FolderNames {
  /** A file or a folder. */
  from: string
}

/** Puts the repositories of a file or a folder in place of those that their integrations have. */
export async function importRepositories(
  store: Store,
  { from, ...names }: RepositoryImport,
): Promise<CommandOutput> {
  const isFolder = (await stat(from).catch(() => null))?.isDirectory() ?? false
  if (isFolder) return replaceBy(store, await readGitFolder(from, names), from)
  if (names.integrationId !== null || names.urlPrefix !== null) {
    throw new Refusal(
      `--integration and --url-prefix are only for a folder, and ${from} is none.`,
      'arguments',
    )
  }
  const answers = parse(from, await read(from))
  return replaceBy(
    store,
    { repositories: answers.map((answer) => ({ answer, refs: null })), leftOut: [] },
    from,
  )
}

/** Puts what was read in place of what the integrations have. */
async function replaceBy(
  store: Store,
  { repositories, leftOut }: ReadRepositories,
  from: string,
): Promise<CommandOutput> {
  const listed = leftOut.slice(0, mostNamed).map((line) => `\n  ${line}`)
  if (leftOut.length > mostNamed) listed.push(`\n  and ${leftOut.length - mostNamed} more`)
  const rest = leftOut.length === 0 ? '' : `\nLeft out:${listed.join('')}`
  if (repositories.length === 0) {
    throw new Refusal(`${from} has no repositories to import. Nothing was imported.${rest}`)
  }
  const pairs = new Set(repositories.map(({ answer }) => `${answer.host_integration_id} ${answer.id}`))
  if (pairs.size < repositories.length) {
    throw new Refusal(`${from} has two repositories with one id in an integration. Nothing was imported.`)
  }
  const integrations = new Set(repositories.map(({ answer }) => answer.host_integration_id))
  const entries = [...integrations].map((id) => ({
    ...commandEntry('repositories import', null, store.tenantId),
    id,
  }))
  await store.repositories.replace(repositories, entries)
  return {
    lines: integrations,
    remark: `Imported ${repositories.length} repositories.${rest}\nThese integrations have them:`,
  }
}

async function read(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > longestFile) {
      throw new Refusal(`${file} is larger than ${longestFile / 1024 / 1024} MiB. Nothing was imported.`)
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(`Cannot read ${file}: ${(error as Error).message}`)
  }
}

function parse(file: string, content: string): z.infer<typeof fileSchema> {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw new Refusal(`${file} isn't JSON. Nothing was imported.`)
  }
  const { success, data, error } = fileSchema.safeParse(value)
  if (success) return data
  const { path, message } = error.issues[0]!
  const where = path.length === 0 ? 'The list' : path.join('.')
  throw new Refusal(
    `${file} isn't a list of repositories as the service answers it. ${where}: ${message}. Nothing was imported.`,
  )
}
