import { z } from 'zod'
import { annotationSchema } from '../app/personal/annotations'
import { comparisonLimits, ignoredFieldSchema } from '../app/personal/ignored-in-comparisons'
import { lastFilterLimits, lastFiltersSchema } from '../app/personal/last-filters'
import { recentChoiceSchema, recentLimits } from '../app/personal/recent-choices'
import { agentKeySchema } from '../cache/agents'
import { savedViewSchema } from '../cache/query/views'

/** A service that an environment leads to. A salted hash of base URL and tenant identifies it. */
export const storedServiceSchema = z.object({
  environmentId: z.string(),
  salt: z.string(),
  service: z.string(),
})

export type StoredService = z.infer<typeof storedServiceSchema>

/** What is kept about the deployments of one service. */
const serviceAnnotationsSchema = storedServiceSchema.extend({ annotations: z.array(annotationSchema) })

/** The deployments of one service that were assigned to an agent by hand. */
const serviceAgentsSchema = storedServiceSchema.extend({
  deployments: z.array(z.object({ id: z.string(), agent: agentKeySchema })),
})

/** A choice in the command palette. A deployment's belongs to a service. */
const storedChoiceSchema = recentChoiceSchema.extend({ of: storedServiceSchema.nullable() })

/** What operators keep for themselves. Each member is stored by itself; one that can't be read counts as empty. */
export const personalSchema = z.object({
  /** Favourites, labels and notes. */
  services: z.array(serviceAnnotationsSchema).catch([]),
  views: z.array(savedViewSchema).catch([]),
  agents: z.array(serviceAgentsSchema).catch([]),
  /** The agents whose rows of the board are pinned. */
  pinnedAgents: z.array(agentKeySchema).catch([]),
  /** The filters that lists were left with, the latest first. */
  lastFilters: z
    .array(storedServiceSchema.extend({ filters: lastFiltersSchema }))
    .max(lastFilterLimits.services)
    .catch([]),
  /** What was chosen in the command palette, the latest first. */
  recent: z.array(storedChoiceSchema).max(recentLimits.count).catch([]),
  /** The fields that comparisons leave out. */
  ignoredFields: z.array(ignoredFieldSchema).max(comparisonLimits.ignored).catch([]),
})

export type PersonalContent = z.infer<typeof personalSchema>

/** The largest member that a change writes, in bytes: writing it doesn't block a process noticeably. */
export const largestPersonalMember = 4_000_000
