import { readFile, stat } from 'node:fs/promises'
import { z } from '@hono/zod-openapi'
import { repositoryAnswerSchema } from '../api/schemas'
import { Refusal } from '../base/refusal'
import type { Store } from '../database/store'
import { commandEntry } from './audit'
import type { CommandOutput } from './keys'

/** The longest file, in bytes, and the most repositories in it. */
const longestFile = 16 * 1024 * 1024
const mostRepositories = 20_000

const text = z.string().trim().min(1).max(1_000)

const fileSchema = z
  .array(
    z.strictObject({
      ...repositoryAnswerSchema.shape,
      host_integration_id: z.guid().toLowerCase(),
      id: z.int().min(0),
      name: text,
      owner: text,
      url: text,
      default_branch: text,
    }),
  )
  .min(1)
  .max(mostRepositories)

/** Puts the repositories of a file in place of those that their integrations have. */
export async function importRepositories(store: Store, file: string): Promise<CommandOutput> {
  const repositories = parse(file, await read(file))
  const integrations = new Set(repositories.map((repository) => repository.host_integration_id))
  const pairs = new Set(repositories.map(({ host_integration_id, id }) => `${host_integration_id} ${id}`))
  if (pairs.size < repositories.length) {
    throw new Refusal(`${file} has two repositories with one id in an integration. Nothing was imported.`)
  }
  const entries = [...integrations].map((id) => ({
    ...commandEntry('repositories import', null, store.tenantId),
    id,
  }))
  await store.repositories.replace(repositories, entries)
  return {
    lines: integrations,
    remark: `Imported ${repositories.length} repositories. These integrations have them:`,
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
