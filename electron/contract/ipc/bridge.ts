import type { CallName, EventName } from './names'

/**
 * What the preload exposes to the renderer as `window.slipway`: one function a call and one subscription an event.
 *
 * A call takes an identifier, by which it can be cancelled, and its input. It resolves to the outcome as JSON text,
 * since one text crosses the two boundaries at a fraction of the cost of an object; it never rejects.
 */
export interface Bridge {
  calls: Record<CallName, (callId: string, input: unknown) => Promise<string>>
  cancel: (callId: string) => void
  /** Subscribes to an event, whose payload comes as JSON text; gives the function that ends the subscription. */
  events: Record<EventName, (listener: (payload: string) => void) => () => void>
}
