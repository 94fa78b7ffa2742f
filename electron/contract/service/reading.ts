import { z } from 'zod'
import { type Deployment, deploymentSchema } from './deployment'
import { type Repository, repositorySchema } from './repository'

/** An item of an answer that could not be read: its place in the list and why. */
export const unreadableItemSchema = z.object({ index: z.int(), reason: z.string() })

export type UnreadableItem = z.infer<typeof unreadableItemSchema>

/** A page as it was answered: readable deployments, the others, how many items came, the returned offset. */
export interface ReadPage {
  deployments: Deployment[]
  unreadable: UnreadableItem[]
  received: number
  returnedOffset: number
}

/** A repository listing as it was answered. */
export interface ReadRepositories {
  repositories: Repository[]
  unreadable: UnreadableItem[]
}

/** A value that was read, or in words why the answer is not what the interface describes. */
export type Read<T> = { ok: true; value: T } | { ok: false; reason: string }

/** The outer shape of an answer of List deployments. */
export const listAnswerSchema = z.looseObject({ resources: z.array(z.unknown()), offset: z.number() })

/** Reads the answer of List deployments. One unreadable item does not hide the rest of the page. */
export function readPage(answer: unknown): Read<ReadPage> {
  const page = listAnswerSchema.safeParse(answer)
  if (!page.success) return { ok: false, reason: describe(page.error) }
  const { items, unreadable } = readItems(page.data.resources, deploymentSchema)
  return {
    ok: true,
    value: {
      deployments: items.map(withoutSecretValues),
      unreadable,
      received: page.data.resources.length,
      returnedOffset: page.data.offset,
    },
  }
}

/** Reads one deployment, such as the answer of Create a deployment. */
export function readDeployment(answer: unknown): Read<Deployment> {
  const deployment = deploymentSchema.safeParse(answer)
  if (!deployment.success) return { ok: false, reason: describe(deployment.error) }
  return { ok: true, value: withoutSecretValues(deployment.data) }
}

/** Reads the answer of List repositories. */
export function readRepositories(answer: unknown): Read<ReadRepositories> {
  if (!Array.isArray(answer)) return { ok: false, reason: 'expected a list of repositories' }
  const { items, unreadable } = readItems(answer, repositorySchema)
  return { ok: true, value: { repositories: items, unreadable } }
}

/** A deployment whose secrets have empty values: a service may answer them readable, and no one else needs them. */
export function withoutSecretValues<T>(deployment: T): T {
  if (typeof deployment !== 'object' || deployment === null) return deployment
  const secrets = (deployment as { secrets?: unknown }).secrets
  if (secrets === undefined || secrets === null) return deployment
  return { ...deployment, secrets: Array.isArray(secrets) ? secrets.map(withoutValue) : [] }
}

function withoutValue(secret: unknown): object {
  const name = typeof secret === 'object' && secret !== null ? (secret as { name?: unknown }).name : null
  return { name: typeof name === 'string' ? name : null, value: '' }
}

function readItems<T>(list: unknown[], schema: z.ZodType<T>): { items: T[]; unreadable: UnreadableItem[] } {
  const items: T[] = []
  const unreadable: UnreadableItem[] = []
  list.forEach((item, index) => {
    const result = schema.safeParse(item)
    if (result.success) items.push(result.data)
    else unreadable.push({ index, reason: describe(result.error) })
  })
  return { items, unreadable }
}

function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`)
    .join('; ')
}
