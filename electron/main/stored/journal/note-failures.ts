import type { Called, Failure, FailureCode, Outcome } from '@contract'
import { accountIn, nameIn } from '../../environments/lookups'
import type { Environments } from '../../environments/model/types'
import type { Journal } from './types'

/** Failures of normal use: the operator left, or must fix or confirm something first. */
const everyday: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** Handles a call about an environment. */
type Answer<Input, Value> = (input: Input, signal: AbortSignal) => Promise<Outcome<Value>>

/** What failures are noted with. */
export interface FailureNotesParts {
  journal: Pick<Journal, 'noteFailure'>
  environments: Pick<Environments, 'destination' | 'state'>
  /** Whether Slipway is quitting. It ends the built-in service and connections first, so calls fail then. */
  isQuitting: () => boolean
  report: (error: unknown) => void
}

/** Creates a function that wraps a handler, so that its failures are noted in the journal as `action`. */
export function createFailureNotes({
  journal,
  environments,
  isQuitting,
  report,
}: FailureNotesParts): <Input extends { environmentId: string }, Value>(
  action: string,
  answer: Answer<Input, Value>,
) => Answer<Input, Value> {
  const nameOf = nameIn(environments)
  const accountOf = accountIn(environments)
  const note = (
    environmentId: string,
    account: Called | null,
    action: string,
    startedAt: Date,
    reason: Failure,
  ): void => {
    const environmentName = nameOf(environmentId) ?? environmentId
    const place = { environmentId, environmentName, account }
    void journal.noteFailure(place, action, startedAt, reason).catch(report)
  }
  return (action, answer) => async (input, signal) => {
    const startedAt = new Date()
    // An edit meanwhile doesn't make it a failure of the other service.
    const account = accountOf(input.environmentId)
    const outcome = await answer(input, signal)
    if (outcome.ok || signal.aborted || isQuitting()) return outcome
    if (!everyday.includes(outcome.failure.code))
      note(input.environmentId, account ?? accountOf(input.environmentId), action, startedAt, outcome.failure)
    return outcome
  }
}
