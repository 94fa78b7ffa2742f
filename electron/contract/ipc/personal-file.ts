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

/** The file of the main process with what operators keep for themselves. */
export const personalFileSchema = z.object({
  version: z.literal(1),
  services: z.array(serviceAnnotationsSchema),
  views: z.array(savedViewSchema).default([]),
  agents: z.array(serviceAgentsSchema).default([]),
  /** The agents whose rows of the board are pinned. */
  pinnedAgents: z.array(agentKeySchema).default([]),
  /** Hashes of files that were set aside and whose content is in this one already, until they are removed. */
  takenIn: z.array(z.string()).default([]),
  // How Slipway was left must never make the rest of the file unreadable.
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

export type PersonalFile = z.infer<typeof personalFileSchema>

/** A file of a newer version. Slipway leaves it unchanged. */
export const newerPersonalFileSchema = z.looseObject({ version: z.int().min(2) })

/**
 * The largest text that a change writes, in bytes: writing it doesn't block the main process noticeably. A file from
 * before may be larger; it is read, and may be shortened.
 */
export const largestPersonalFile = 4_000_000

/**
 * The largest text once a file that was set aside is added, in bytes: one from before may be larger than what changes
 * write.
 */
export const largestMergedFile = 20_000_000
