import type { TlsFiles } from './tls'

/** How the service is reached. */
export interface Network {
  /** The address to listen on. */
  host: string
  /** What is in front of all paths, such as `/deployments`; empty for nothing. */
  basePath: string
  /** Names, each with a port or for any, under which requests may ask; empty for the usual ones. */
  allowedHosts: readonly string[]
  /** Origins whose pages may use the service. */
  corsOrigins: readonly string[]
  /** Addresses of proxies, each with the length of its prefix or alone, whose X-Forwarded-For counts. */
  trustedProxies: readonly string[]
  /** Null to serve HTTP without TLS. */
  tls: TlsFiles | null
}
