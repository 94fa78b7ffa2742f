import { fail, type Outcome } from '@contract'
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
    environments.state().environments.some(({ id }) => id === input.environmentId)
      ? handler(input, signal)
      : fail(notFound())
