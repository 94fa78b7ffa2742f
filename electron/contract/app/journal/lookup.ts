import { z } from 'zod'

/** A deployment that a lookup found. */
const foundDeploymentSchema = z.object({
  id: z.string(),
  createdAt: z.string().nullable(),
  status: z.string(),
  /** Set only if it differs from the attempt's name. */
  name: z.string().optional(),
})

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** How many deployments of one name are stored and shown. Nobody compares more than that by eye. */
export const maxFound = 5

/**
 * What a lookup found for an unconfirmed attempt:
 * - `found`: the list is whole and has exactly one deployment of that name, which was created not more than five minutes
 *   before the attempt and has the configuration that was sent;
 * - `different`: the only deployment of that name differs in the members in `differences`;
 * - `not-found`: the list is whole and has no deployment of that name, or only that of another attempt (`taken`);
 * - `cannot-tell`: only the operator can say whether it is the attempt's, or the list says too little; `reason` says
 *   why.
 */
export const lookupSchema = z.object({
  /** When the list was complete (ISO 8601). */
  at: z.string(),
  verdict: z.enum(['found', 'different', 'not-found', 'cannot-tell']),
  deployment: foundDeploymentSchema.nullable(),
  /** How many deployments of that name there are, if there are several; `deployment` is one of them. */
  count: z.int().optional(),
  /** The others, up to `maxFound` in all. */
  others: z.array(foundDeploymentSchema).optional(),
  /**
   * Members of the request that differ, such as `source_config.repo_url`; `created_at` if the deployment is older than
   * the attempt.
   */
  differences: z.array(z.string()),
  reason: z
    .enum([
      /** The deployment has no creation time that can be read. */
      'no-time',
      /** What was sent was too large to be kept. */
      'not-kept',
      /** The deployment may as well be that of another unconfirmed attempt at the name. */
      'several',
      /** Several deployments have the name: the request may have been carried out more than once. */
      'repeated',
      /** The deployment with the name is known to be that of another attempt. */
      'taken',
      /** No deployment has the name, but one has it in other case or with other spaces. */
      'alike',
      /** The list has entries that can't be read. */
      'unreadable',
      /** The list couldn't be read to its end. */
      'incomplete',
    ])
    .nullable(),
})

export type Lookup = z.infer<typeof lookupSchema>

/** The deployments that a lookup found. Each of them may be the attempt's. */
export const foundIn = ({ deployment, others = [] }: Lookup): FoundDeployment[] =>
  deployment === null ? [] : [deployment, ...others]

/** A lookup with the deployment `id` chosen as the attempt's; null if the lookup didn't find it. */
export function withChosen(lookup: Lookup, id: string): Lookup | null {
  const found = foundIn(lookup)
  const deployment = found.find((one) => one.id === id)
  if (!deployment) return null
  const others = found.filter((one) => one !== deployment)
  return { ...lookup, deployment, ...(others.length > 0 ? { others } : {}) }
}
