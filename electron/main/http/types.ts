import type { NetworkSettings, Outcome } from '@contract'

/** Where requests go: an environment, or a draft of one that is being checked. */
export interface HttpTarget {
  /** Null for a draft of an environment that is being checked. */
  environmentId: string | null
  /** Base URL as `normalizeBaseUrl` gives it: origin and path prefix, no slash at the end. */
  baseUrl: string
  /** Request headers of the environment. Secrets: never logged, never sent to another origin. */
  headers: Record<string, string>
  /** Certificate rule and proxy; the system's by default. Contains a secret. */
  network?: NetworkSettings
}

/** One request. Only a GET is ever repeated automatically. */
export interface HttpRequest {
  target: HttpTarget
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base URL, beginning with a slash. */
  path: string
  query?: URLSearchParams
  /** A value that is sent as JSON. */
  body?: unknown
  /** Secrets in the body, which no failure may repeat. Header values are always treated so. */
  secrets?: readonly string[]
  /** Cancels the request; one that writes only until it may have left. */
  signal?: AbortSignal
  /** Sends a GET once, because the caller repeats it by a policy of its own. */
  once?: boolean
  /** Time limit of one attempt over connection, headers and body, in milliseconds (`client.ts` has the default). */
  timeLimitMs?: number
  /** Size of the decompressed answer; `answerLimits.bytes` by default. */
  answerBytes?: number
}

/** An answer with a 2xx status. */
export interface HttpAnswer {
  status: number
  /**
   * The decompressed body: neither empty (a 204 has `{}`) nor a web page, but not checked to be JSON. Threads share its memory. Another
   * process gets a copy.
   */
  body: Uint8Array
  /** The header Location, unparsed. The body is then `{}` if there was none. */
  location?: string | null
}

/** The one HTTP client. Every outcome but a 2xx answer with a body is a failure of the contract. */
export interface HttpClient {
  request: (request: HttpRequest) => Promise<Outcome<HttpAnswer>>
}
