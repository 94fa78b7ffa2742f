import type { Refusal } from '../trust'

/**
 * Why Slipway itself didn't send a request: no session was left, or none could be set up; the environment changed, or
 * the network process ended, before or while the request waited; the proxy's sign-in might send it twice; or the caller
 * held it back.
 */
export type WhyNotSent =
  'no-session' | 'no-setup' | 'environment-changed' | 'network-process' | 'proxy-sign-in' | 'held-back'

/** How one exchange with a service ended. It determines the outcome of a request. */
export type ExchangeEnd =
  /** Headers and body arrived. The body of a failed request may have been cut off. */
  | {
      kind: 'answer'
      status: number
      contentType: string | null
      retryAfter: string | null
      /** The header Date (RFC 9110, 6.6.1), unparsed. */
      date?: string | null
      /** The header Age (RFC 9111, 5.1), unparsed. */
      age?: string | null
      /** The decompressed body. */
      body: Uint8Array
    }
  /** The service sent us elsewhere, and we did not go. `to` is the whole address, null where it gave none. */
  | { kind: 'redirect'; status: number; to: string | null }
  /**
   * The answer was not whole within the time limit; `status` where its headers had come, `begun` once the request may
   * have left.
   */
  | { kind: 'time-limit'; limitMs: number; status: number | null; begun: boolean }
  /** The answer was longer than the limit, in bytes as unpacked. */
  | { kind: 'too-large'; status: number; limitBytes: number }
  /**
   * The network failed: Chromium's name of the error (such as `ERR_CONNECTION_RESET`) where it gave one; `status` where
   * the headers of an answer had come. `mayHaveLeft` where the request had a connection before that, so that it may have
   * been sent, whatever the error says; false where it is known to have had none, and not there where nothing but the
   * error says so.
   */
  | { kind: 'network'; error: string | null; status: number | null; mayHaveLeft?: boolean }
  /**
   * The certificate of the service was refused. `error` as above; `own` where this very request's connection was the
   * one that was refused, and no other one of it was made, so that nothing was sent.
   */
  | { kind: 'certificate'; error: string | null; refusal: Refusal; own: boolean }
  /** The caller did not want the answer any more; `begun` once the request may have left. */
  | { kind: 'cancelled'; begun: boolean }
  /** Slipway held it back. */
  | { kind: 'not-sent'; why: WhyNotSent }
