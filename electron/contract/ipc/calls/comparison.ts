import { z } from 'zod'
import { identifierSchema } from '../../app/environment/environment'
import { cachedDetailSchema } from '../../cache/detail'
import { ignoredFieldSchema, comparisonLimits } from '../../app/personal/ignored-in-comparisons'
import { longestFilter } from '../../deployment-api/list/list-query'

/** A cached deployment that a side can be. */
const foundDeploymentSchema = z.object({ environmentId: z.string(), id: z.string(), name: z.string() })

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** Input and output of the calls about comparing. They read caches, and make no request to a service. */
export const comparisonCalls = {
  /**
   * Cached deployments of every environment whose name or source contains a text: a few from each environment. `unread`
   * names environments whose caches couldn't be read. A failure in one environment doesn't affect the others.
   */
  'comparison.find': {
    input: z.strictObject({ search: z.string().max(200) }),
    output: z.object({ found: z.array(foundDeploymentSchema), unread: z.array(z.string()) }),
  },
  /**
   * What the cache of an environment has of a deployment. Failures: the cache's and the keychain's, `not-found` if
   * nothing of it is cached.
   */
  'comparison.deployment': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: cachedDetailSchema,
  },
  /** The fields that comparisons leave out. Failures: the keychain's, `internal`. */
  'comparison.ignored': { input: z.strictObject({}), output: z.array(ignoredFieldSchema) },
  /**
   * Starts or stops leaving a field out. Returns all fields that are left out. Failures: those of `annotations.save`.
   */
  'comparison.ignore': {
    input: z.strictObject({ field: ignoredFieldSchema, isIgnored: z.boolean() }),
    output: z.array(ignoredFieldSchema).max(comparisonLimits.ignored),
  },
}
