import { z } from 'zod'
import { longestFilter } from '../../deployment-api/list/list-query'
import { annotationLimits } from './annotations'
import { identifierSchema } from '../environment/environment'

/**
 * Limits for the filters that are remembered. `services` counts those of all environments: the ones used last. A longer
 * text isn't remembered. Lengths are in characters.
 */
export const lastFilterLimits = { services: 50, textLength: 1_000 } as const

const textSchema = z.string().max(longestFilter)

/**
 * The filters of a list that were typed, or that show which deployments the operator cares about. They may contain
 * names of deployments, so they are only stored in an encrypted file. The other filters are in `ListChoices`.
 */
export const lastFiltersSchema = z.strictObject({
  name: textSchema,
  imageVersion: textSchema,
  tagValueIds: textSchema,
  deploymentIds: textSchema,
  favourites: z.boolean(),
  label: z.string().max(annotationLimits.labelLength).nullable(),
  /** Whether the search was typed for the cache, which searches more than names, although the live list was chosen. */
  searchesCache: z.boolean(),
})

export type LastFilters = z.infer<typeof lastFiltersSchema>

export const lastFiltersChangeSchema = z.strictObject({
  environmentId: identifierSchema,
  /** Where the environment led when the list was filtered (`Environment.service`). */
  service: z.string().max(1_000),
  filters: lastFiltersSchema,
})

export type LastFiltersChange = z.infer<typeof lastFiltersChangeSchema>
