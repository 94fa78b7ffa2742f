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

/** How many deployments that fit one attempt are stored and shown. Nobody compares more than that by eye. */
export const maxFound = 5

/**
 * What a lookup found for an unconfirmed attempt:
 * - `found`: a deployment of that name, created after the attempt began, with the source and configuration that were
 *   sent;
 * - `different`: a deployment of that name that may be it, but differs in the members in `differences`;
 * - `not-found`: no deployment of that name from that time; `deployment` is then one of that name from another time;
 * - `cannot-tell`: only the operator can say whether it is the attempt's, or the list says too little; `reason` says
 *   why.
 */
export const lookupSchema = z.object({
  /** When the list was complete (ISO 8601). */
  at: z.string(),
  verdict: z.enum(['found', 'different', 'not-found', 'cannot-tell']),
  deployment: foundDeploymentSchema.nullable(),
  /** How many deployments of that name have what was sent, if there are several; `deployment` is one of them. */
  fitting: z.int().optional(),
  /** The others, up to `maxFound` in all. */
  others: z.array(foundDeploymentSchema).optional(),
  /**
   * Members of the request that differ, such as `source_config.repo_url`, or that only the deployment has;
   * `created_at` if only the time doesn't fit.
   */
  differences: z.array(z.string()),
  reason: z
    .enum([
      /** The deployment has no creation time, or one that isn't exact enough for clocks that differ. */
      'no-time',
      /** Its creation time proves nothing: this machine's clock may have been set since the attempt began. */
      'clock',
      /** The attempt is from a version that stored nothing to compare. */
      'not-kept',
      /** The attempt is from a version that didn't store the service that it was sent to. */
      'no-service',
      /** Secrets were sent, whose values can't be compared. */
      'secrets',
      /** Containers have environment variables, whose values aren't stored and so can't be compared. */
      'variables',
      /** The deployment has more than was sent, such as a container that somebody added. */
      'more',
      /** Too little was sent to tell its deployment from somebody else's. */
      'thin',
      /** The deployment fits several attempts at the name, or several deployments fit (`fitting`). */
      'several',
      /** Several deployments fit only this attempt, which may have been carried out more than once. */
      'repeated',
      /** No deployment has the name, but one has a name that the service may have made of it. */
      'alike',
      /** The list has entries that can't be read. */
      'unreadable',
      /** The list couldn't be read to its end. */
      'incomplete',
      /**
       * The request headers, the proxy or the certificate rule have changed since, so this may be the list of another
       * account or service. Its deployments may be somebody else's, and the attempt's may be in the other list.
       */
      'credentials',
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
