import type { FailureCode } from '@contract'
import { proxyRefusal } from './network-errors'

/** What an HTTP status means for the operator, and what to do. */
interface StatusMeaning {
  code: FailureCode
  message: string
  advice: string
  retryable?: boolean
}

const meanings: Readonly<Record<number, StatusMeaning>> = {
  400: {
    code: 'bad-request',
    message: 'The service rejected the request',
    advice: 'Fix the problem below and try again.',
  },
  401: {
    code: 'unauthorised',
    message: "The service doesn't accept the credentials",
    advice: "Check the environment's request headers: a key may be missing, mistyped or expired.",
  },
  403: {
    code: 'forbidden',
    message: "The service doesn't allow this",
    advice: "Check that the environment's credentials have permission to do this.",
  },
  404: {
    code: 'not-found-at-service',
    message: "The service can't find this",
    advice: 'It may have been removed. If nothing else works either, check the base URL and its path prefix.',
  },
  407: {
    code: 'proxy',
    message: proxyRefusal.message.slice(0, -1),
    advice: `${proxyRefusal.advice} If none is set there, ask the administrator of the service or the network.`,
    retryable: true,
  },
  408: unexpected(true),
  409: {
    code: 'conflict',
    message: 'The service says that this is already in use',
    advice: 'Choose another name.',
  },
  411: {
    code: 'bad-request',
    message: 'The service, or something in front of it, requires the length of a request',
    advice: 'Try again: Slipway sends it from now on.',
    retryable: true,
  },
  413: {
    code: 'bad-request',
    message: 'The request is too large for the service',
    advice: 'Send less.',
  },
  425: unexpected(true),
  429: {
    code: 'rate-limited',
    message: 'The service limits how often it is called',
    advice: 'Try again later.',
    retryable: true,
  },
}

/** The meaning of a status outside 2xx and 3xx. */
export function meaningOf(status: number): StatusMeaning {
  if (status >= 500 && status < 600) {
    return {
      code: 'service-error',
      message: status === 503 ? 'The service is unavailable' : 'The service failed',
      advice: 'The problem is on its side. Try again later, or ask its administrator.',
      retryable: true,
    }
  }
  return meanings[status === 422 ? 400 : status] ?? unexpected(false)
}

function unexpected(retryable: boolean): StatusMeaning {
  return {
    code: 'unexpected-status',
    message: 'The service answered with an unexpected status',
    advice: 'Check the base URL: something other than the service may be answering there.',
    retryable,
  }
}
