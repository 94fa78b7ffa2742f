import type { FailureCode, Sent } from '@contract'

/** What an error of Chromium's network stack means for people. */
export interface NetworkTrouble {
  code: Extract<
    FailureCode,
    'offline' | 'timeout' | 'certificate' | 'proxy' | 'connection-lost' | 'unreadable-answer'
  >
  message: string
  advice: string
  /** Whether the same request may succeed a moment later. */
  passing: boolean
}

const lost: NetworkTrouble = {
  code: 'connection-lost',
  message: 'The connection to the service was lost.',
  advice: 'Try again. If it keeps happening, ask the administrator of the service or the network.',
  passing: true,
}

const certificate: NetworkTrouble = {
  code: 'certificate',
  message: "The service's certificate isn't trusted.",
  advice: "Check the base URL. If the service uses a private CA, add it in the environment's settings.",
  passing: false,
}

const proxy: NetworkTrouble = {
  code: 'proxy',
  message: "The proxy didn't let the request through.",
  advice: "Check the environment's settings, under Proxy, or ask its administrator.",
  passing: true,
}

/** The proxy requires other credentials. Either the tunnel fails or the proxy answers 407. */
export const proxyRefusal: NetworkTrouble = {
  ...proxy,
  message: 'The proxy requires a valid user name and password.',
  advice: "Enter them in the environment's settings, under Proxy.",
  // Each further attempt with a wrong password may lock the account.
  passing: false,
}

const unreachable: NetworkTrouble = {
  code: 'offline',
  message: "The service couldn't be reached.",
  advice: 'Check the base URL, the network and, if the service is behind one, the VPN.',
  passing: true,
}

/**
 * Errors by their names in Chromium's net_error_list.h. The first pattern that matches decides. An error that matches
 * none is a lost connection: that claims least about what the service did.
 */
const troubles: [RegExp, NetworkTrouble][] = [
  [/^ERR_PROXY_AUTH_REQUESTED$/, proxyRefusal],
  [
    // A 407 without a proxy, or through a tunnel.
    /^ERR_UNEXPECTED_PROXY_AUTH$/,
    {
      ...proxy,
      message: 'The service, or something in front of it, asks for proxy credentials (407).',
      advice:
        "Check the base URL, or ask the service's administrator: a proxy on its side may be misconfigured.",
      passing: false,
    },
  ],
  [
    /^ERR_PROXY_CONNECTION_FAILED$/,
    {
      ...proxy,
      message: "The proxy couldn't be reached.",
      advice: "Check the host and port in the environment's settings, under Proxy, and the network.",
    },
  ],
  [
    /^ERR_(?:PAC_|MANDATORY_PROXY)/,
    {
      ...proxy,
      message: "The PAC script couldn't be loaded, or doesn't work.",
      advice: "Check it in the environment's settings, under Proxy.",
      passing: false,
    },
  ],
  [/^ERR_(?:PROXY_|TUNNEL_|SOCKS_|PAC_|MANDATORY_PROXY|UNEXPECTED_PROXY|HTTPS_PROXY)/, proxy],
  [
    /^ERR_SSL_CLIENT_AUTH|^ERR_BAD_SSL_CLIENT_AUTH/,
    {
      ...certificate,
      message: 'The service requires a client certificate.',
      advice: "Slipway doesn't send one. Use a header for credentials, or ask the service's administrator.",
    },
  ],
  [
    /^ERR_CERT_DATE_INVALID$/,
    {
      ...certificate,
      message: "The service's certificate has expired or isn't valid yet.",
      advice:
        "Check this machine's clock. If it is right, ask the service's administrator to renew the certificate.",
    },
  ],
  [
    /^ERR_CERT_COMMON_NAME_INVALID$/,
    {
      ...certificate,
      message: "The service's certificate is for another host name.",
      advice: 'Check the base URL: its host name must match the certificate.',
    },
  ],
  [/^ERR_CERT_AUTHORITY_INVALID$/, certificate],
  [/^ERR_(?:CERT|SSL_PINNED|SSL_SERVER_CERT)_|^ERR_CERTIFICATE_/, certificate],
  [
    // These don't tell whether TLS failed in the handshake or broke later.
    /^ERR_SSL_/,
    {
      ...certificate,
      message: 'The secure connection to the service failed.',
      advice:
        'If it keeps happening, check whether the base URL must begin with http:// or https:// and whether the port is right.',
    },
  ],
  [/^ERR_INTERNET_DISCONNECTED$/, { ...unreachable, message: "This machine isn't connected to a network." }],
  [
    /^ERR_(?:NAME_|DNS_|ICANN_)/,
    {
      ...unreachable,
      message: "The service's host name couldn't be resolved.",
    },
  ],
  [
    /^ERR_CONNECTION_REFUSED$/,
    {
      ...unreachable,
      message: "Can't connect: connection refused.",
      advice: 'Check the base URL and its port, and whether the service is running.',
    },
  ],
  [
    /^ERR_UNSAFE_PORT$/,
    {
      ...unreachable,
      message: 'The port in the base URL is blocked for web requests.',
      advice: 'Run the service on another port.',
      passing: false,
    },
  ],
  [/^ERR_(?:ADDRESS_|CONNECTION_FAILED$|NETWORK_ACCESS_DENIED$|INVALID_URL$|BLOCKED_BY_)/, unreachable],
  [
    /^ERR_(?:CONNECTION_)?TIMED_OUT$/,
    {
      code: 'timeout',
      message: "The service didn't answer in time.",
      advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
      passing: false,
    },
  ],
  [
    /^ERR_(?:CONTENT_DECODING_|INVALID_CHUNKED|INVALID_HTTP_RESPONSE|RESPONSE_HEADERS_(?:TOO_BIG|MULTIPLE)|INVALID_RESPONSE|UNSUPPORTED_ENCODING|INVALID_REDIRECT|UNSAFE_REDIRECT|TOO_MANY_REDIRECTS)/,
    {
      code: 'unreadable-answer',
      message: "The answer isn't valid HTTP.",
      advice: 'Check the base URL and its port: something other than the service may be listening there.',
      passing: false,
    },
  ],
]

/** Explains an error by its name, such as `ERR_CONNECTION_RESET`; null means an error without a name. */
export function explainNetworkError(error: string | null): NetworkTrouble {
  return troubles.find(([pattern]) => error !== null && pattern.test(error))?.[1] ?? lost
}

/**
 * Chromium's errors that can only come before a request is written to a connection (see net_error_list.h, and where
 * Chromium raises them). The list is closed: an error that isn't in it, or is new, may have come later. These often
 * come before, but are left out:
 * - what a TLS peer can also say, or break, later: ERR_SSL_PROTOCOL_ERROR, a bad record, alerts such as decrypt_error,
 *   and a client certificate that is requested after the request (by renegotiation, or in TLS 1.3, in which the client
 *   writes before the server has checked it), unless Chromium hadn't read from the body (below);
 * - what a socket in use reports: ERR_ADDRESS_UNREACHABLE (from a router), ERR_INTERNET_DISCONNECTED,
 *   ERR_NETWORK_CHANGED, ERR_NETWORK_IO_SUSPENDED, ERR_SOCKET_NOT_CONNECTED, time limits and resets;
 * - ERR_FAILED and ERR_ABORTED, which say nothing, and ERR_INVALID_URL, which an answer's redirect may cause;
 * - ERR_CERT_DATABASE_CHANGED and ERR_CERT_ERROR_IN_SSL_RENEGOTIATION, which end connections in use.
 */
const beforeSending: ReadonlySet<string> = new Set([
  // The host name wasn't resolved, so there is no connection yet.
  'ERR_NAME_NOT_RESOLVED',
  'ERR_NAME_RESOLUTION_FAILED',
  'ERR_ICANN_NAME_COLLISION',
  'ERR_HOST_RESOLVER_QUEUE_TOO_LARGE',
  'ERR_DNS_MALFORMED_RESPONSE',
  'ERR_DNS_SERVER_REQUIRES_TCP',
  'ERR_DNS_SERVER_FAILED',
  'ERR_DNS_TIMED_OUT',
  'ERR_DNS_SORT_ERROR',
  'ERR_DNS_NO_MATCHING_SUPPORTED_ALPN',
  'ERR_DNS_SECURE_RESOLVER_HOSTNAME_RESOLUTION_FAILED',
  // The connection was never established.
  'ERR_CONNECTION_REFUSED',
  'ERR_UNSAFE_PORT',
  // The proxy isn't known, or it made no connection to the service.
  'ERR_PAC_SCRIPT_FAILED',
  'ERR_PAC_SCRIPT_TERMINATED',
  'ERR_PAC_NOT_IN_DHCP',
  'ERR_MANDATORY_PROXY_CONFIGURATION_FAILED',
  'ERR_NO_SUPPORTED_PROXIES',
  'ERR_PROXY_CONNECTION_FAILED',
  'ERR_PROXY_CERTIFICATE_INVALID',
  'ERR_TUNNEL_CONNECTION_FAILED',
  'ERR_SOCKS_CONNECTION_FAILED',
  'ERR_SOCKS_CONNECTION_HOST_UNREACHABLE',
  'ERR_HTTPS_PROXY_TUNNEL_RESPONSE_REDIRECT',
  // A proxy that requires other credentials makes no tunnel, or rejects the sign-in before a POST
  // (`index.ts`).
  'ERR_PROXY_AUTH_REQUESTED',
  // The service's certificate is checked in the handshake of each connection, before anything is written.
  'ERR_CERT_COMMON_NAME_INVALID',
  'ERR_CERT_DATE_INVALID',
  'ERR_CERT_AUTHORITY_INVALID',
  'ERR_CERT_CONTAINS_ERRORS',
  'ERR_CERT_NO_REVOCATION_MECHANISM',
  'ERR_CERT_UNABLE_TO_CHECK_REVOCATION',
  'ERR_CERT_REVOKED',
  'ERR_CERT_INVALID',
  'ERR_CERT_WEAK_SIGNATURE_ALGORITHM',
  'ERR_CERT_NON_UNIQUE_NAME',
  'ERR_CERT_WEAK_KEY',
  'ERR_CERT_NAME_CONSTRAINT_VIOLATION',
  'ERR_CERT_VALIDITY_TOO_LONG',
  'ERR_CERT_SYMANTEC_LEGACY',
  'ERR_CERT_KNOWN_INTERCEPTION_BLOCKED',
  'ERR_CERTIFICATE_TRANSPARENCY_REQUIRED',
  'ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN',
])

/** Errors that may come before a request is sent as well as after, so the error alone doesn't tell. */
const atAnyTime: ReadonlySet<string> = new Set([
  // In the first handshake, or on a connection in use.
  'ERR_SSL_CLIENT_AUTH_CERT_NEEDED',
])

/**
 * Whether a request was sent that ended with this error, on a connection of its own and without an answer. The error
 * may be that of another connection, on which Chromium sent the request again. `index.ts` prevents and detects
 * that for every POST, except to a service that may require the length of the body.
 *
 * @param mayHaveLeft whether Chromium had read from the body by then; undefined if that isn't known
 */
export function sentBefore(error: string | null, mayHaveLeft?: boolean): Sent {
  if (error === null || mayHaveLeft) return 'maybe'
  return beforeSending.has(error) || (mayHaveLeft === false && atAnyTime.has(error)) ? 'no' : 'maybe'
}
