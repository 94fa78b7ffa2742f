import type { NetworkSettings, Outcome } from '@contract'

/** Where requests go: an environment, or a draft of one that is being checked. */
export interface HttpTarget {
  /** The Electron session, which lives as long as its settings; null for one that is used once. */
  environmentId: string | null
  /** Base URL as `normalizeBaseUrl` gives it: origin and path prefix, no slash at the end. */
  baseUrl: string
  /** Request headers of the environment. Secrets: never logged, never sent to another origin. */
  headers: Record<string, string>
  /** Certificate rule and proxy; the system's by default. Contains a secret. */
  network?: NetworkSettings
  /**
   * How often the origin or the network settings of the environment were edited. After a request to a later edition,
   * none goes to an earlier one.
   */
  edition?: number
}

/** One request. Only a GET is ever repeated automatically. */
export interface HttpRequest {
  target: HttpTarget
  method: 'GET' | 'POST'
  /** Path below the base URL, beginning with a slash. */
  path: string
  query?: URLSearchParams
  /** A value that is sent as JSON. */
  body?: unknown
  /** Secrets in the body, which no failure may repeat. Header values are always treated so. */
  secrets?: readonly string[]
  signal?: AbortSignal
  /** Sends a GET once: whoever asks repeats it by a policy of its own. */
  once?: boolean
  /**
   * Of a POST: asked once there is a connection to send it on, before its body leaves. False holds it back: it fails with
   * `cancelled` and `sent: 'no'`. Not asked where a service wants the body's length first (`length-wanted.ts`).
   */
  mayLeave?: () => Promise<boolean>
  /** Time limit of one attempt over connection, headers and body, in milliseconds; 15,000 by default. */
  timeLimitMs?: number
}

/** An answer with a 2xx status. */
export interface HttpAnswer {
  status: number
  /**
   * The body, decompressed: neither empty nor a web page, but not checked to be JSON. Credentials of the request are
   * removed. Threads share its memory; another process gets a copy.
   */
  body: Uint8Array
  /**
   * The original body, only where credentials were removed from `body`: to find in it what was sent, which may have the
   * same text. Never show, store or log it.
   */
  unmasked?: Uint8Array | null
  /** The header Date, which tells the service's clock; null in an answer that isn't fresh. */
  date?: string | null
  /** Whether a cache on the way says that the answer is from before the request. */
  isStale?: boolean
  durationMs: number
}

/** The one HTTP client. Every outcome but a 2xx answer with a body is a failure of the contract. */
export interface HttpClient {
  request: (request: HttpRequest) => Promise<Outcome<HttpAnswer>>
  /** Clears the data of a removed environment's session (cookies, cache, storage). */
  forget: (environmentId: string) => Promise<void>
}
