import type { TlsFiles } from './connections/tls'

/** How the service is reached over the network. */
export interface Network {
  /** The address to listen on. */
  host: string
  /** The prefix of all paths, such as `/deployments`; empty for none. */
  basePath: string
  /** Host names that requests may use, with a port or for any; empty for the default ones. */
  allowedHosts: readonly string[]
  /** Origins whose pages may use the service. */
  corsOrigins: readonly string[]
  /** Addresses of proxies whose X-Forwarded-For is trusted, alone or with the length of a prefix. */
  trustedProxies: readonly string[]
  /** Null for HTTP without TLS. */
  tls: TlsFiles | null
}
