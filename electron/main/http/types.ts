import type { NetworkSettings, Outcome } from '@contract'

/** Where requests go: an environment, or a draft of one that is only being checked. */
export interface HttpTarget {
  /** Names the Electron session, which lives as long as its settings; null for a throw-away one. */
  environmentId: string | null
  /** Base URL as `normalizeBaseUrl` gives it: origin and path prefix, no slash at the end. */
  baseUrl: string
  /** Request headers of the environment. Secrets: never logged, never sent to another origin. */
  headers: Record<string, string>
  /** Which certificate and proxy to use; as the system has it where nothing is said. Holds a secret. */
  network?: NetworkSettings
  /**
   * Counts how often the origin or the network settings of the environment were edited: once a later edition was sent to,
   * nothing is sent to an earlier one.
   */
  edition?: number
}

/** One request. Only a GET is ever sent again by itself. */
export interface HttpRequest {
  target: HttpTarget
  method: 'GET' | 'POST'
  /** Path below the base URL, beginning with a slash. */
  path: string
  query?: URLSearchParams
  /** A value that is sent as JSON. */
  body?: unknown
  /** What the body says in confidence, so that no failure of its service repeats it; header values are known anyway. */
  secrets?: readonly string[]
  signal?: AbortSignal
  /** Sends a GET once: whoever asks repeats it by a policy of its own. */
  once?: boolean
  /** Time limit of one attempt over connection, headers and body, in milliseconds; 15,000 by default. */
  timeLimitMs?: number
}

/** An answer with a 2xx status. */
export interface HttpAnswer {
  status: number
  /**
   * The body, unpacked: neither empty nor a web page, but nobody has looked whether it is JSON. Credentials of the
   * request are taken out of it. Its memory is shared between threads: another process gets a copy.
   */
  body: Uint8Array
  /**
   * The body as it came, only where credentials were taken out of it: to recognise in it what was sent, which may have
   * the same words. Never to be shown, kept or logged.
   */
  unmasked?: Uint8Array | null
  /** The header Date, by which the service's clock is known; null in an answer that is not fresh. */
  date?: string | null
  /** Whether a cache on the way says that the answer is from before the request. */
  isStale?: boolean
  durationMs: number
}

/** The one HTTP client. Every outcome but a 2xx answer with a body is a failure of the contract. */
export interface HttpClient {
  request: (request: HttpRequest) => Promise<Outcome<HttpAnswer>>
  /** Clears what the session of a removed environment kept (cookies, cache, storage). */
  forget: (environmentId: string) => Promise<void>
}
