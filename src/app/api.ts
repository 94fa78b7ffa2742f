import type { CallInput, CallName, CallOutput, EventName, EventPayload, Outcome, Sent } from '@contract'
import { cancelledFailure, fail, failure } from '@contract/core/outcome'
import { shallowRef } from 'vue'

/** Options of a call. */
export interface CallOptions {
  /**
   * Cancels the call when aborted. The call then gives the failure `cancelled` at once, unless it waits for its answer.
   */
  signal?: AbortSignal
  /** Whether to show no progress: for reads in the background. */
  quiet?: boolean
  /** Whether a cancelled call still waits for the main process's answer, since it may have been carried out. */
  waitForAnswer?: boolean
}

/** A running call that the status line shows. */
interface RunningCall {
  id: string
  /** "Loading deployments" */
  label: string
  cancel: () => void
}

/** The calls that the status line shows: those that wait for a service. */
const labels: Partial<Record<CallName, string>> = {
  'environments.check': 'Checking the connection',
  'deployments.page': 'Loading deployments',
  'deployments.get': 'Loading the deployment',
  'deployments.export': 'Exporting deployments',
  'deployments.create': 'Creating the deployment',
  'life.revisions': 'Loading revisions',
  'life.review': 'Reading the deployment',
  'life.change': 'Changing the deployment',
  'life.log': 'Loading the log',
  'repositories.list': 'Loading repositories',
}

/** Running calls, oldest first. */
export const running = shallowRef<readonly RunningCall[]>([])

/** Adds a call to the running ones if it has a label; gives a function that removes it. */
function track(id: string, name: CallName, cancel: () => void): () => void {
  const label = labels[name]
  if (!label) return () => {}
  running.value = [...running.value, { id, label, cancel }]
  return () => {
    running.value = running.value.filter((call) => call.id !== id)
  }
}

// The page's start time keeps identifiers of calls unique after a reload.
const page = Math.round(performance.timeOrigin).toString(36)
let lastCall = 0

/** Calls the main process. Never rejects: an error becomes a failure. */
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
    const answered = answer<Name>(name, callId, input)
    const cancelledCall = cancellation(own.signal, callId)
    return await (options.waitForAnswer ? answered : Promise.race([answered, cancelledCall]))
  } finally {
    signal?.removeEventListener('abort', abort)
    untrack?.()
  }
}

/** Listens to an event of the main process; gives a function that stops listening. */
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
    // Vue's proxies can't be cloned across the bridge.
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
  return fail({ ...cancelledFailure, retryable: true, sent })
}
