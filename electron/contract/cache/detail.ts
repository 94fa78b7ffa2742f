import { z } from 'zod'
import { deploymentSchema } from '../deployment-api/deployment'
import { unreadableItemSchema } from '../deployment-api/reading'
import { repositorySchema } from '../deployment-api/repository'

// What the page gets of a single deployment, and of an integration's repositories. Times are ISO 8601.

const cachedRowSchema = z.object({
  /** Since when the service no longer has it; null if it has, as far as is known. */
  goneAt: z.string().nullable(),
  /** When the service answered that it doesn't have it. Not set while it is out of reach. */
  missingAt: z.string().optional(),
})

/** A whole deployment, and its JSON as the service answered it, indented, with empty values of secrets. */
export const deploymentDetailSchema = z.object({
  environmentId: z.string(),
  deployment: deploymentSchema,
  json: z.string(),
  /** Whether long texts, lists and objects were cut because it is too large. */
  shortened: z.boolean(),
  fetchedAt: z.string(),
  /** Set if it is from the cache, because the service is out of reach or doesn't have it. */
  fromCache: cachedRowSchema.optional(),
})

export type DeploymentDetail = z.infer<typeof deploymentDetailSchema>

/** A deployment from the cache. */
export const cachedDetailSchema = deploymentDetailSchema.extend({ fromCache: cachedRowSchema })

export type CachedDetail = z.infer<typeof cachedDetailSchema>

export const repositoryListSchema = z.object({
  environmentId: z.string(),
  integrationId: z.string(),
  repositories: z.array(repositorySchema),
  unreadable: z.array(unreadableItemSchema),
  /** How many the service sent. The last ones are left out if a listing can't hold them. */
  received: z.int(),
  fetchedAt: z.string(),
  /** Whether it is from the cache, because the service is out of reach. */
  fromCache: z.boolean().optional(),
})

export type RepositoryList = z.infer<typeof repositoryListSchema>

/** A list of repositories from the cache. */
export const cachedRepositoryListSchema = repositoryListSchema.extend({ fromCache: z.literal(true) })

export type CachedRepositoryList = z.infer<typeof cachedRepositoryListSchema>
