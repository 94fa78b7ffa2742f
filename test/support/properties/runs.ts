/**
 * The values that each property tries, and the inputs of each target that is fuzzed. `npm run test:trust` sets
 * PROPERTY_RUNS to thousands.
 */
export const runs = Number(process.env.PROPERTY_RUNS ?? 25)

/** The values of a property that starts or kills a process for each. */
export const processRuns = Math.ceil(runs / 3)

/** Whether there is time for what takes minutes: a month, a soak, hundreds of environments. */
export const isLong = runs >= 1_000

/** Each run tries the same values, so that a failure on one machine is a failure on all; PROPERTY_SEED tries others. */
export const seed = Number(process.env.PROPERTY_SEED ?? 20261121)
