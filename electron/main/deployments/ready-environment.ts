import { fail, failure, type Outcome } from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/port'
import { environmentChangedFailure } from '../ipc/running-calls'

/**
 * Gives what is needed to call the service of an environment, which must be the current one, before and after
 * the wait. Failures: `environment-changed`, `cancelled`, the keychain's and `built-in-service`.
 */
export async function readyEnvironment(
  environments: Environments,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<ReadyEnvironment>> {
  const isCurrent = (): boolean => environments.state().currentEnvironmentId === id
  if (!isCurrent()) return fail(environmentChangedFailure)
  const ready = await environments.ready(id, signal)
  if (!isCurrent()) return fail(environmentChangedFailure)
  if (signal.aborted) return fail(failure('cancelled', 'The call was cancelled.'))
  return ready
}
