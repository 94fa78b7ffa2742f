import type { FailureCode, Outcome } from '@contract'
import type { Environments } from '../environments/types'
import type { Journal } from './index'

/** Outcomes that are no trouble: the user went elsewhere, or has to mend or confirm something first. */
const notWorthNoting: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** Wraps what answers a call about an environment, so that its failures are noted in the journal as `action`. */
export function notingFailures<Input extends { environmentId: string }, Value>(
  journal: Journal,
  environments: Environments,
  report: (error: unknown) => void,
  action: string,
  answer: (input: Input, signal: AbortSignal) => Promise<Outcome<Value>>,
): (input: Input, signal: AbortSignal) => Promise<Outcome<Value>> {
  return async (input, signal) => {
    const startedAt = new Date()
    const outcome = await answer(input, signal)
    if (!outcome.ok && !signal.aborted && !notWorthNoting.includes(outcome.failure.code)) {
      const { environmentId } = input
      const known = environments.state().environments.find(({ id }) => id === environmentId)
      const place = { environmentId, environmentName: known?.name ?? environmentId }
      void journal.noteFailure(place, action, startedAt, outcome.failure).catch(report)
    }
    return outcome
  }
}
