/** The kinds of change that a watch can report. Free of zod, because the first screen loads it. */
export const watchKinds = ['changed', 'appeared', 'gone', 'stuck', 'active'] as const

export type WatchKind = (typeof watchKinds)[number]

/**
 * Limits for watches and their notices. `followed` counts the deployments of all lists of one environment together.
 * `asked` is how many one round of background requests names. A notice has `entries`, of which the page gets `shown` until it requests all. Lengths are
 * in characters.
 */
export const watchLimits = {
  count: 100,
  nameLength: 60,
  textLength: 100,
  followed: 10_000,
  asked: 300,
  notices: 300,
  entries: 40,
  shown: 6,
} as const

/**
 * How long a deployment must be inactive before a watch reports it, in minutes. A first rollout takes about 14 minutes.
 */
export const stuckMinutes = { min: 5, max: 10_080, default: 30 } as const
