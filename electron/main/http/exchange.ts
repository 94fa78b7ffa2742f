import type { Refusal } from './trust'

/** How one exchange with a service ended: all that the outcome of a request is made of. */
export type ExchangeEnd =
  /** Headers and body came; the body of a failed request may have been cut short. */
  | {
      kind: 'answer'
      status: number
      contentType: string | null
      retryAfter: string | null
      /** The header Date (RFC 9110, 6.6.1), as it came. */
      date?: string | null
      /** As it came, unpacked. */
      body: Uint8Array
    }
  /** The service sent us elsewhere, and we did not go. `to` is the whole address, null where it gave none. */
  | { kind: 'redirect'; status: number; to: string | null }
  /** The answer was not whole within the time limit. */
  | { kind: 'time-limit'; limitMs: number }
  /** The answer was longer than the limit, in bytes as unpacked. */
  | { kind: 'too-large'; status: number; limitBytes: number }
  /** The network failed: Chromium's name of the error (such as `ERR_CONNECTION_RESET`) where it gave one. */
  | { kind: 'network'; error: string | null }
  /** The certificate of the service was refused, so that nothing was sent. `error` as above. */
  | { kind: 'certificate'; error: string | null; refusal: Refusal }
  /** The caller did not want the answer any more. */
  | { kind: 'cancelled' }
