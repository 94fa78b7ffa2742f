// Without a schema, for processes that check no request: making its schemas takes longer than all others of a cache.

/**
 * How long the name of a deployment may be. The interface states no limit, but names of Kubernetes end at 253 characters,
 * and the journal keeps the names of unconfirmed attempts for good.
 */
export const longestDeploymentName = 1_000

/**
 * What secrets a request may have. The interface states no limit, but each becomes an environment variable, of which
 * Linux takes 128 KiB, and where they are kept, Kubernetes takes 1 MiB of them together.
 */
export const secretLimits = { count: 1_000, valueLength: 131_072, allValuesLength: 1_048_576 } as const

export const tooManySecrets = 'Use at most 1,000 secrets.'
