import { failure, type Failure } from '@contract'
import { environmentChangedFailure } from '../environments/failures'

/** A call that is being answered. */
interface RunningCall {
  caller: number
  callId: string
  environmentId: string | null
  controller: AbortController
}

/** So many calls of one window are answered at once. The page has a dozen under way when much happens. */
export const mostRunning = 200

/** Why a call was ended before its answer; it becomes the call's answer. */
const cancelledFailure: Failure = failure('cancelled', 'The call was cancelled.')

/** An identifier as the page gives them, one to a call. */
export function isCallId(callId: unknown): callId is string {
  return typeof callId === 'string' && callId.length <= 100 && /^[\w.-]+$/.test(callId)
}

/** The calls that are being answered, so that they can be ended by caller, by call or by environment. */
export class RunningCalls {
  /** By caller and identifier. */
  readonly #calls = new Map<number, Map<string, RunningCall>>()
  readonly #counts = new Map<number, number>()

  /** Whether a caller has as many calls under way as it may have. */
  isFull(caller: number): boolean {
    return (this.#counts.get(caller) ?? 0) >= mostRunning
  }

  /**
   * Counts a call in; its signal aborts with the failure to answer. Null where the caller has one of that identifier
   * under way.
   */
  begin(caller: number, callId: string, environmentId: string | null): RunningCall | null {
    const own = this.#calls.get(caller) ?? new Map<string, RunningCall>()
    if (own.has(callId)) return null
    const call = { caller, callId, environmentId, controller: new AbortController() }
    this.#calls.set(caller, own.set(callId, call))
    this.#count(caller, 1)
    return call
  }

  /**
   * Counts a call out, once nothing works at it any more. It still counts until the event loop has gone round, so that
   * calls which end at once do not keep it from doing so.
   */
  end({ caller, callId }: RunningCall): void {
    const own = this.#calls.get(caller)
    own?.delete(callId)
    if (own?.size === 0) this.#calls.delete(caller)
    setImmediate(() => this.#count(caller, -1))
  }

  #count(caller: number, change: number): void {
    const count = (this.#counts.get(caller) ?? 0) + change
    if (count > 0) this.#counts.set(caller, count)
    else this.#counts.delete(caller)
  }

  /** Cancels one call of a caller; an identifier that is unknown, or another caller's, is ignored. */
  cancel(caller: number, callId: unknown): void {
    if (isCallId(callId)) this.#calls.get(caller)?.get(callId)?.controller.abort(cancelledFailure)
  }

  /** Cancels everything that a window asked for. */
  cancelAllOf(caller: number): void {
    for (const call of [...(this.#calls.get(caller)?.values() ?? [])]) call.controller.abort(cancelledFailure)
  }

  /** Ends the calls about any other environment than the current one. */
  keepEnvironment(currentId: string): void {
    for (const call of [...this.#calls.values()].flatMap((own) => [...own.values()])) {
      const { environmentId, controller } = call
      if (environmentId !== null && environmentId !== currentId) controller.abort(environmentChangedFailure)
    }
  }
}
