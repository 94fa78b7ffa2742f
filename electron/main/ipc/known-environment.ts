import { fail, type Outcome } from '@contract'
import { existsIn } from '../environments/lookups'
import { notFound } from '../environments/model/failures'
import type { Environments } from '../environments/model/types'

/**
 * Wraps a handler so that it fails with `not-found` if the environment doesn't exist (any more). Nothing is started or
 * stored for it.
 */
export const forKnownEnvironment =
  (environments: Pick<Environments, 'state'>) =>
  <Input extends { environmentId: string }, Output>(
    handler: (input: Input, signal: AbortSignal) => Outcome<Output> | Promise<Outcome<Output>>,
  ) =>
  (input: Input, signal: AbortSignal): Outcome<Output> | Promise<Outcome<Output>> =>
    existsIn(environments)(input.environmentId) ? handler(input, signal) : fail(notFound())
