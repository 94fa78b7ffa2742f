import { cancelledFailure } from '@contract'
import { environmentChangedFailure } from '../environments/model/failures'

/** A call that is being handled. */
interface RunningCall {
  caller: number
  callId: string
  environmentId: string | null
  controller: AbortController
}

/** How many calls of one window may run at once. The page rarely has more than a dozen. */
const maxRunning = 200

/** Whether a value is a call identifier of the page. */
export function isCallId(callId: unknown): callId is string {
  return typeof callId === 'string' && callId.length <= 100 && /^[\w.-]+$/.test(callId)
}

/** The calls that are being handled. They can be cancelled by caller, by call or by environment. */
export class RunningCalls {
  /** By caller and identifier. */
  readonly #calls = new Map<number, Map<string, RunningCall>>()
  readonly #counts = new Map<number, number>()

  /** Whether a caller has reached the limit of calls. */
  isFull(caller: number): boolean {
    return (this.#counts.get(caller) ?? 0) >= maxRunning
  }

  /**
   * Adds a call. Its signal aborts with the failure to answer. Null if the caller already has a call with this
   * identifier.
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
   * Removes a call once its handler has ended. It counts until the next turn of the event loop, so that calls which end
   * at once can't block the loop.
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

  /** Cancels one call of a caller. An unknown identifier, or one of another caller, is ignored. */
  cancel(caller: number, callId: unknown): void {
    if (isCallId(callId)) this.#calls.get(caller)?.get(callId)?.controller.abort(cancelledFailure)
  }

  /** Cancels all calls of a window. */
  cancelAllOf(caller: number): void {
    for (const call of [...(this.#calls.get(caller)?.values() ?? [])]) call.controller.abort(cancelledFailure)
  }

  /** Cancels the calls about any environment but the current one. */
  keepEnvironment(currentId: string): void {
    for (const call of [...this.#calls.values()].flatMap((own) => [...own.values()])) {
      const { environmentId, controller } = call
      if (environmentId !== null && environmentId !== currentId) controller.abort(environmentChangedFailure)
    }
  }
}
