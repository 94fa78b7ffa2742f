import { fail, failure, type Outcome, succeed } from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/port'
import { serviceIdentity } from '../environments/service-identity'
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

/**
 * Makes sure that an environment still leads to the service that was asked: it may have been edited meanwhile, and what
 * another service has is never shown as this one's. Failures as those of `readyEnvironment`.
 */
export async function stillLeadsTo(
  environments: Environments,
  asked: ReadyEnvironment,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const now = await readyEnvironment(environments, asked.id, signal)
  if (!now.ok) return now
  const [before, after] = [asked, now.value].map(({ target }) => serviceIdentity(target, ''))
  return before === after ? succeed(null) : fail(environmentChangedFailure)
}
