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
      /** The header Location, unparsed. */
      location?: string | null
      /** The decompressed body. */
      body: Uint8Array
    }
  /** A redirect that wasn't followed. `to` is the whole address, null if there was none. */
  | { kind: 'redirect'; status: number; to: string | null }
  /**
   * The answer wasn't complete within the time limit. `status` is set if its headers had arrived; `begun` if the
   * request may have left.
   */
  | { kind: 'time-limit'; limitMs: number; status: number | null; begun: boolean }
  /** The decompressed answer exceeded the limit, in bytes. */
  | { kind: 'too-large'; status: number; limitBytes: number }
  /**
   * The network failed. `error` is Chromium's name of the error (such as `ERR_CONNECTION_RESET`), if there is one.
   * `status` is set if the headers of an answer had arrived. `mayHaveLeft` says whether the request had a connection
   * and so may have been sent, whatever the error says; undefined if only the error tells.
   */
  | { kind: 'network'; error: string | null; status: number | null; mayHaveLeft?: boolean }
  /**
   * The certificate of the service was refused. `error` as above. `own` means that it was the request's only
   * connection, so nothing was sent.
   */
  | { kind: 'certificate'; error: string | null; refusal: Refusal; own: boolean }
  /** The caller cancelled; `begun` means that the request may have left. */
  | { kind: 'cancelled'; begun: boolean }
  /** Slipway didn't send it. */
  | { kind: 'not-sent'; why: WhyNotSent }
