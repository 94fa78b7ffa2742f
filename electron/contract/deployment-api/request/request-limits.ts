// Free of schemas, for processes that check no requests: creating the request's schemas takes longer than creating all
// others that a cache needs.

/**
 * How long the name of a deployment may be. The interface states no limit, but Kubernetes names have at most 253
 * characters, and the journal keeps the names of unconfirmed attempts permanently.
 */
export const longestDeploymentName = 1_000

/**
 * Limits for the secrets of a request. The interface states none, but each secret becomes an environment variable,
 * which has at most 128 KiB on Linux, and a Kubernetes Secret has at most 1 MiB.
 */
export const secretLimits = { count: 1_000, valueLength: 131_072, allValuesLength: 1_048_576 } as const

export const tooManySecrets = 'Use at most 1,000 secrets.'
