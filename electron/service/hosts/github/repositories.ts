import { z } from '@hono/zod-openapi'
import { importedRepositorySchema, plainText, type Refs } from '../../api/known-repository'
import { Refusal } from '../../base/refusal'
import { integrationOf, type ReadRepositories } from '../read-repositories'
import { createGithubClient, type GithubAccess, type GithubClient, type KnownPages } from './client'

/** The owner of the repositories, and what to read of them. */
export interface GithubOwner {
  /** An organisation or a user. */
  owner: string
  /** Null to derive one from the API's address and the owner. */
  integrationId: string | null
  /** Whether to read branches and tags too, with two or more requests for each repository. */
  withRefs: boolean
}

const repositorySchema = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  html_url: z.url({ protocol: /^https?$/ }),
  default_branch: z.string(),
  archived: z.boolean().optional(),
  disabled: z.boolean().optional(),
})

const refSchema = z.object({
  name: z.string(),
  commit: z.object({ sha: z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/) }),
})

/**
 * Reads the repositories of an owner, except archived and disabled ones, which can't be deployed.
 *
 * @param known the pages of an earlier import, which the API needn't send again
 * @throws {Refusal} if the API can't be used, or doesn't know the owner
 */
export async function readGithub(
  access: GithubAccess,
  { owner, integrationId, withRefs }: GithubOwner,
  known: KnownPages,
): Promise<ReadRepositories> {
  const client = createGithubClient(access, known)
  const name = encodeURIComponent(owner)
  const found =
    (await client.list(`/orgs/${name}/repos`, repositorySchema)) ??
    (await client.list(`/users/${name}/repos`, repositorySchema))
  if (found === null) {
    throw new Refusal(`${access.apiUrl} has no owner "${owner}", or doesn't show it. Nothing was imported.`)
  }
  const integration = integrationId ?? integrationOf(`${access.apiUrl} ${owner.toLowerCase()}`)
  const read: ReadRepositories = { repositories: [], leftOut: [] }
  for (const repository of found) {
    if (repository.archived || repository.disabled) {
      read.leftOut.push(`${repository.name}: it is ${repository.archived ? 'archived' : 'disabled'}`)
      continue
    }
    const { success, data } = importedRepositorySchema.safeParse({
      host_integration_id: integration,
      id: repository.id,
      name: repository.name,
      owner: repository.owner.login,
      url: repository.html_url,
      default_branch: repository.default_branch,
    })
    if (!success)
      read.leftOut.push(`${repository.name}: its name, address or branch is too long, blank or no plain text`)
    else {
      const path = `/repos/${encodeURIComponent(data.owner)}/${encodeURIComponent(data.name)}`
      read.repositories.push({ answer: data, refs: withRefs ? await readRefs(client, path) : null })
    }
  }
  return read
}

/** The commits of a repository's branches and tags; null if it is gone by now. */
async function readRefs(client: GithubClient, path: string): Promise<Refs | null> {
  const branches = await client.list(`${path}/branches`, refSchema)
  const tags = await client.list(`${path}/tags`, refSchema)
  if (branches === null || tags === null) return null
  return Object.fromEntries(
    [
      ...branches.map(({ name, commit }) => [`refs/heads/${name}`, commit.sha] as const),
      ...tags.map(({ name, commit }) => [`refs/tags/${name}`, commit.sha] as const),
    ].filter(([name]) => plainText.test(name)),
  )
}
