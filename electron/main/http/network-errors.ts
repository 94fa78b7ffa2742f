import type { FailureCode } from '@contract'

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
  advice: 'Try again; if it keeps happening, ask whoever runs the service or the network.',
  passing: true,
}

const certificate: NetworkTrouble = {
  code: 'certificate',
  message: 'The certificate of the service is not trusted.',
  advice:
    "Check the base URL. If the service has a certificate of a private authority, choose that in the environment's settings.",
  passing: false,
}

const proxy: NetworkTrouble = {
  code: 'proxy',
  message: 'The proxy did not let the request through.',
  advice: "Check the environment's settings, under Proxy, or ask whoever runs the proxy.",
  passing: true,
}

const unreachable: NetworkTrouble = {
  code: 'offline',
  message: 'The service could not be reached.',
  advice: 'Check the base URL, the network and, if the service is behind one, the VPN.',
  passing: true,
}

/**
 * Errors by their names in Chromium's net_error_list.h. The first pattern that matches decides; whatever matches
 * none is a lost connection, the meaning that promises least about what the service did.
 */
const troubles: [RegExp, NetworkTrouble][] = [
  [
    /^ERR_PROXY_AUTH_REQUESTED$/,
    {
      ...proxy,
      message: 'The proxy does not accept the user name and password, or wants some.',
      advice: "Enter them in the environment's settings, under Proxy.",
      // Each further attempt with a wrong password may lock the account.
      passing: false,
    },
  ],
  [
    /^ERR_PROXY_CONNECTION_FAILED$/,
    {
      ...proxy,
      message: 'The proxy could not be reached.',
      advice: "Check host and port in the environment's settings, under Proxy, and the network.",
    },
  ],
  [
    /^ERR_(?:PAC_|MANDATORY_PROXY)/,
    {
      ...proxy,
      message: 'The PAC script could not be loaded, or does not work.',
      advice: "Check it in the environment's settings, under Proxy.",
      passing: false,
    },
  ],
  [/^ERR_(?:PROXY_|TUNNEL_|SOCKS_|PAC_|MANDATORY_PROXY|UNEXPECTED_PROXY|HTTPS_PROXY)/, proxy],
  [
    /^ERR_SSL_CLIENT_AUTH|^ERR_BAD_SSL_CLIENT_AUTH/,
    {
      ...certificate,
      message: 'The service wants a client certificate.',
      advice: 'Slipway does not send one. Use a header for credentials, or ask whoever runs the service.',
    },
  ],
  [
    /^ERR_CERT_DATE_INVALID$/,
    {
      ...certificate,
      message: 'The certificate of the service has expired or is not valid yet.',
      advice:
        "Check this machine's clock; if it is right, ask whoever runs the service to renew the certificate.",
    },
  ],
  [
    /^ERR_CERT_COMMON_NAME_INVALID$/,
    {
      ...certificate,
      message: 'The certificate of the service is for another host name.',
      advice: 'Check the base URL: it must have the name that the certificate is for.',
    },
  ],
  [/^ERR_CERT_AUTHORITY_INVALID$/, certificate],
  [
    /^ERR_SSL_PROTOCOL_ERROR$|^ERR_SSL_VERSION/,
    {
      ...certificate,
      message: 'No secure connection to the service could be made.',
      advice: 'Check whether the base URL must begin with http:// or https:// and whether the port is right.',
    },
  ],
  [/^ERR_(?:CERT|SSL)_|^ERR_CERTIFICATE_/, certificate],
  [/^ERR_INTERNET_DISCONNECTED$/, { ...unreachable, message: 'This machine is not connected to a network.' }],
  [
    /^ERR_(?:NAME_|DNS_|ICANN_)/,
    {
      ...unreachable,
      message: 'The host name of the service is not known here.',
    },
  ],
  [
    /^ERR_CONNECTION_REFUSED$/,
    {
      ...unreachable,
      message: 'Nothing answers at the address of the service.',
      advice: 'Check the base URL and its port, and whether the service is running.',
    },
  ],
  [
    /^ERR_UNSAFE_PORT$/,
    {
      ...unreachable,
      message: 'The port in the base URL is one that is blocked for web requests.',
      advice: 'Let the service listen on another port.',
      passing: false,
    },
  ],
  [/^ERR_(?:ADDRESS_|CONNECTION_FAILED$|NETWORK_ACCESS_DENIED$|INVALID_URL$|BLOCKED_BY_)/, unreachable],
  [
    /^ERR_(?:CONNECTION_)?TIMED_OUT$/,
    {
      code: 'timeout',
      message: 'The service did not answer in time.',
      advice: 'Try again; if it keeps happening, check the network and whether the service is busy.',
      passing: false,
    },
  ],
  [
    /^ERR_(?:CONTENT_DECODING_|INVALID_CHUNKED|INVALID_HTTP_RESPONSE|RESPONSE_HEADERS_(?:TOO_BIG|MULTIPLE)|INVALID_RESPONSE|UNSUPPORTED_ENCODING|INVALID_REDIRECT|UNSAFE_REDIRECT|TOO_MANY_REDIRECTS)/,
    {
      code: 'unreadable-answer',
      message: 'What answered does not speak HTTP as it should.',
      advice: 'Check the base URL and its port; something else than the service may be listening there.',
      passing: false,
    },
  ],
]

/** Explains an error by its name, such as `ERR_CONNECTION_RESET`; null stands for one without a name. */
export function explainNetworkError(error: string | null): NetworkTrouble {
  return troubles.find(([pattern]) => error !== null && pattern.test(error))?.[1] ?? lost
}
