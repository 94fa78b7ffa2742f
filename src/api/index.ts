import type { CallInput, CallName, CallOutput, EventName, EventPayload, Outcome, Sent } from '@contract'
import { fail, failure } from '@contract/core/outcome'
import { track } from './running'

export { running } from './running'

/** What a call may be given beside its input. */
export interface CallOptions {
  /** Aborting it cancels the call, which then answers at once with the failure `cancelled`. */
  signal?: AbortSignal
  /** A quiet call is not shown as progress: for re-reading in the background. */
  quiet?: boolean
}

// The page's own start keeps identifiers of calls apart after a reload.
const page = Math.round(performance.timeOrigin).toString(36)
let lastCall = 0

/**
 * Makes a call of the contract in the main process. Never rejects: whatever goes wrong is a failure, and the
 * main process has already checked the answer.
 */
export async function call<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  options: CallOptions = {},
): Promise<Outcome<CallOutput<Name>>> {
  const own = new AbortController()
  const { signal } = options
  if (signal?.aborted) return cancelled('no')
  const callId = `${page}-${(lastCall += 1)}`
  const abort = (): void => own.abort()
  signal?.addEventListener('abort', abort, { once: true })
  const untrack = options.quiet ? null : track(callId, name, abort)
  try {
    return await Promise.race([answer<Name>(name, callId, input), cancellation(own.signal, callId)])
  } finally {
    signal?.removeEventListener('abort', abort)
    untrack?.()
  }
}

/** Listens to an event of the main process; gives the function that ends this. */
export function on<Name extends EventName>(
  name: Name,
  listener: (payload: EventPayload<Name>) => void,
): () => void {
  return window.slipway.events[name]((payload) => listener(JSON.parse(payload) as EventPayload<Name>))
}

async function answer<Name extends CallName>(
  name: Name,
  callId: string,
  input: CallInput<Name>,
): Promise<Outcome<CallOutput<Name>>> {
  try {
    // Proxies of reactive objects cannot be cloned across the bridge; calls carry plain JSON anyway.
    const text = await window.slipway.calls[name](callId, JSON.parse(JSON.stringify(input)))
    return JSON.parse(text) as Outcome<CallOutput<Name>>
  } catch (error) {
    return fail(
      failure('internal', 'The application could not carry out the call.', {
        advice: 'Try again; if it happens again, restart Slipway.',
        serviceWords: error instanceof Error ? error.message : String(error),
        retryable: true,
        sent: 'maybe',
      }),
    )
  }
}

function cancellation(signal: AbortSignal, callId: string): Promise<ReturnType<typeof cancelled>> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        window.slipway.cancel(callId)
        resolve(cancelled('maybe'))
      },
      { once: true },
    )
  })
}

function cancelled(sent: Sent): ReturnType<typeof fail> {
  return fail(failure('cancelled', 'The call was cancelled.', { retryable: true, sent }))
}
