import { readFile, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import { importedRepositorySchema, mostRepositories } from '../api/schemas'
import type { AuditEntry } from '../database/tables'
import { isLoopbackHost } from '../http/network'
import { Refusal } from '../base/failures'
import type { Store } from '../database/store'
import { type FolderNames, readGitFolder } from '../hosts/folder'
import { type GithubAccess, type GithubOwner, type KnownPages, readGithub } from '../hosts/github'
import type { ReadRepositories } from '../hosts/read-repositories'

/** The output of a command: its lines, and a remark for the reader. */
export interface CommandOutput {
  lines: Iterable<string> | AsyncIterable<string>
  remark?: string
}

/** The longest file, in bytes. */
const longestFile = 16 * 1024 * 1024

const fileSchema = z.array(importedRepositorySchema).min(1).max(mostRepositories)

/** How many of the omitted repositories are named. */
const mostNamed = 20

/** Where repositories are imported from, and how they are called. */
export type RepositoryImport = {
  /** How long to wait before they are imported again, in milliseconds; once without it. */
  every?: number
} & ((FolderNames & { path: string }) | GithubImport)

type GithubImport = GithubOwner &
  GithubAccess & {
    /** The file with the token, instead of `token`. */
    tokenFile?: string
  }

/**
 * Replaces the repositories of integrations by those of a file, a folder or a code host. If this is repeated, each
 * change adds to the output, and a failure is reported and the import tried again.
 */
export async function importRepositories(
  store: Store,
  from: RepositoryImport,
  entryOf: (integrationId: string) => AuditEntry,
  report: (message: string) => void,
): Promise<CommandOutput> {
  const known: KnownPages = new Map()
  const first = await readAll(from, known)
  const output = await replaceBy(store, first, from, entryOf)
  const { every } = from
  return every === undefined ? output : { ...output, lines: goOn(every, first, output.lines) }

  async function* goOn(
    wait: number,
    { repositories }: ReadRepositories,
    lines: CommandOutput['lines'],
  ): AsyncGenerator<string, void> {
    yield* lines
    for (let last = JSON.stringify(repositories); ;) {
      await pause(wait)
      try {
        const read = await readAll(from, known)
        const now = JSON.stringify(read.repositories)
        if (now === last) continue
        const { remark, lines: integrations } = await replaceBy(store, read, from, entryOf)
        last = now
        if (remark !== undefined) report(remark)
        yield* integrations
      } catch (error) {
        // Any failure of a source may be over by the next time.
        report(error instanceof Error ? error.message : String(error))
      }
    }
  }
}

async function readAll(from: RepositoryImport, known: KnownPages): Promise<ReadRepositories> {
  if ('owner' in from) {
    const token = from.tokenFile === undefined ? from.token : (await read(from.tokenFile)).trim()
    return readGithub(accessOf(from.apiUrl, token), from, known)
  }
  const { path } = from
  if ((await stat(path).catch(() => null))?.isDirectory()) return readGitFolder(path, from)
  if (from.integration ?? from.urlPrefix ?? from.every) {
    throw new Refusal(
      `--integration, --url-prefix and --every are not for files, and ${path} is no folder.`,
      'arguments',
    )
  }
  const answers = parse(path, await read(path))
  return { repositories: answers.map((answer) => ({ answer, refs: null })), leftOut: [] }
}

/** The access to the API. Never sends the token over a network unencrypted, and never shows it. */
function accessOf(apiUrl: string, token?: string): GithubAccess {
  if (token === undefined) return { apiUrl }
  if (!/^[!-~]{1,1000}$/.test(token)) {
    throw new Refusal('The token must have printable ASCII characters alone. Nothing was imported.')
  }
  const { protocol, hostname } = new URL(apiUrl)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return { apiUrl, token }
  throw new Refusal(
    '--api-url must be https with a token, or others could read the token. Nothing was imported.',
  )
}

/** Replaces the repositories of the integrations by those that were read. */
async function replaceBy(
  store: Store,
  { repositories, leftOut }: ReadRepositories,
  source: RepositoryImport,
  entryOf: (integrationId: string) => AuditEntry,
): Promise<CommandOutput> {
  const from = 'owner' in source ? `github:${source.owner}` : source.path
  const listed = leftOut.slice(0, mostNamed).map((line) => `\n  ${line.replace(/[\p{Cc}\p{Cf}]/gu, '?')}`)
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
  await store.repositories.replace(repositories, [...integrations].map(entryOf))
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
