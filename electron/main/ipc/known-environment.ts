import { fail, type Outcome } from '@contract'
import { notFound } from '../environments/failures'
import type { Environments } from '../environments/types'

/**
 * Makes a handler that fails with `not-found` for an environment that there is not, or not any more: nothing is begun or
 * kept for one.
 */
export const forKnownEnvironment =
  (environments: Pick<Environments, 'state'>) =>
  <Input extends { environmentId: string }, Output>(
    handler: (input: Input) => Outcome<Output> | Promise<Outcome<Output>>,
  ) =>
  (input: Input): Outcome<Output> | Promise<Outcome<Output>> =>
    environments.state().environments.some(({ id }) => id === input.environmentId)
      ? handler(input)
      : fail(notFound())
