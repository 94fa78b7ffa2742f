import type { Failure, FailureCode, Outcome } from '@contract'
import type { Environments } from '../environments/model/types'
import type { Journal } from './types'

/** Failures of normal use: the user left, or must fix or confirm something first. */
const everyday: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** Handles a call about an environment. */
type Answer<Input, Value> = (input: Input, signal: AbortSignal) => Promise<Outcome<Value>>

/** Creates a function that wraps a handler, so that its failures are noted in the journal as `action`. */
export function createFailureNotes(
  journal: Journal,
  environments: Pick<Environments, 'state'>,
  report: (error: unknown) => void,
): <Input extends { environmentId: string }, Value>(
  action: string,
  answer: Answer<Input, Value>,
) => Answer<Input, Value> {
  const note = (environmentId: string, action: string, startedAt: Date, reason: Failure): void => {
    const known = environments.state().environments.find(({ id }) => id === environmentId)
    const place = { environmentId, environmentName: known?.name ?? environmentId }
    void journal.noteFailure(place, action, startedAt, reason).catch(report)
  }
  return (action, answer) => async (input, signal) => {
    const startedAt = new Date()
    const outcome = await answer(input, signal)
    if (!outcome.ok && !signal.aborted && !everyday.includes(outcome.failure.code))
      note(input.environmentId, action, startedAt, outcome.failure)
    return outcome
  }
}
