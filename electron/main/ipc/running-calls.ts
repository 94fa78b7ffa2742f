import { failure, type Failure } from '@contract'

/** A call that is being answered. */
interface RunningCall {
  caller: number
  callId: string
  environmentId: string | null
  controller: AbortController
}

/** Why a call was ended before its answer; it becomes the call's answer. */
export const cancelledFailure: Failure = failure('cancelled', 'The call was cancelled.')

export const environmentChangedFailure: Failure = failure(
  'environment-changed',
  'The environment was changed in the meantime.',
  { advice: 'Do it again if you still want it, in the environment that is shown now.' },
)

/** The calls that are being answered, so that they can be ended by caller, by call or by environment. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>()

  /** Counts a call in; its signal aborts with the failure to answer. */
  begin(caller: number, callId: string, environmentId: string | null): RunningCall {
    const call = { caller, callId, environmentId, controller: new AbortController() }
    this.#calls.add(call)
    return call
  }

  end(call: RunningCall): void {
    this.#calls.delete(call)
  }

  /** Cancels one call of a caller; an identifier that is unknown, or another caller's, is ignored. */
  cancel(caller: number, callId: string): void {
    this.#abort((call) => call.caller === caller && call.callId === callId, cancelledFailure)
  }

  /** Cancels everything that a window asked for. */
  cancelAllOf(caller: number): void {
    this.#abort((call) => call.caller === caller, cancelledFailure)
  }

  /** Ends the calls about any other environment than the current one. */
  keepEnvironment(currentId: string): void {
    this.#abort(
      (call) => call.environmentId !== null && call.environmentId !== currentId,
      environmentChangedFailure,
    )
  }

  #abort(which: (call: RunningCall) => boolean, reason: Failure): void {
    for (const call of [...this.#calls]) if (which(call)) call.controller.abort(reason)
  }
}
