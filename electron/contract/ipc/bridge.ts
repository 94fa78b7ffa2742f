import type { CallName, EventName } from './names'

/**
 * What the preload exposes to the renderer as `window.slipway`: a function for each call, and a subscription for each
 * event.
 *
 * A call takes an identifier, for cancelling it, and its input. It resolves to the outcome as JSON text, because one
 * text crosses both boundaries far faster than an object. It never rejects.
 */
export interface Bridge {
  calls: Record<CallName, (callId: string, input: unknown) => Promise<string>>
  cancel: (callId: string) => void
  /** Subscribes to an event, whose payload is JSON text. Returns the function that unsubscribes. */
  events: Record<EventName, (listener: (payload: string) => void) => () => void>
}
