import { cancelledFailure, type Certificate, type Failure, type FailureCode, failure } from '@contract'
import { readTime } from '@contract/core/time'
import type { ExchangeEnd, WhyNotSent } from './client'
import { plainText, readErrorBody } from './error-body'
import { explainNetworkError, proxyRefusal, sentBefore } from './network-errors'

const webPageAdvice =
  'The answer is a web page instead of JSON, perhaps from a login page or a proxy. ' +
  'Check the base URL, and whether you have to log in somewhere.'

/**
 * The failure of an exchange that didn't end with a good answer of the service.
 *
 * @param secrets what the request sent in confidence, which no failure may contain
 * @param environmentId null for a draft of an environment
 */
export const failureAfter = (
  end: ExchangeEnd,
  secrets: readonly string[],
  environmentId: string | null,
): Failure => ({
  ...explain(end, secrets, environmentId),
  sent: sentBy(end),
  status: 'status' in end ? end.status : null,
})

function explain(end: ExchangeEnd, secrets: readonly string[], environmentId: string | null): Failure {
  switch (end.kind) {
    case 'cancelled':
      return cancelledFailure
    case 'time-limit':
      return timeout(end)
    case 'not-sent':
      return notSent[end.why]
    case 'network': {
      const { code, message, advice } = explainNetworkError(end.error)
      const named = end.error === null ? message : `${message.slice(0, -1)} (${end.error}).`
      return failure(code, named, { advice, retryable: true })
    }
    case 'certificate':
      return certificateFailure(end, secrets, environmentId)
    case 'redirect':
      return redirected(end, secrets)
    case 'too-large':
      return failure(
        'too-large',
        `The answer is larger than ${end.limitBytes / 1024 / 1024} MiB, and wasn't read.`,
        { advice: 'Use a smaller page or a filter.' },
      )
    case 'answer':
      return end.status >= 200 && end.status < 300 ? unreadable(end) : refused(end, secrets)
  }
}

function timeout({ limitMs, begun }: Extract<ExchangeEnd, { kind: 'time-limit' }>): Failure {
  const seconds = limitMs / 1000
  if (!begun) {
    return failure('timeout', `The request couldn't be sent within ${seconds} seconds.`, {
      advice: 'Try again. If it keeps happening, check the network, the proxy and, if you use one, the VPN.',
      retryable: true,
    })
  }
  return failure('timeout', `The service didn't answer within ${seconds} seconds.`, {
    advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
    retryable: true,
  })
}

/** The failures of requests that Slipway itself didn't send. */
const notSent: Record<WhyNotSent, Failure> = {
  'no-session': failure('internal', "Slipway couldn't set up a network session for this. Nothing was sent.", {
    advice:
      "Check the proxy in the environment's settings, and try again. If it keeps happening, restart Slipway.",
    retryable: true,
  }),
  'proxy-sign-in': failure(
    'not-allowed',
    'The proxy authenticates each connection (NTLM or Negotiate). Over plain HTTP, Slipway sends no change through such a ' +
      'proxy, because it could arrive twice. Nothing was sent.',
    {
      advice: "Use an HTTPS base URL, another proxy or no proxy in the environment's settings.",
    },
  ),
}

const workspaceAdvice =
  'The header X-Tenant-Id, which names the workspace, is missing. Add it to the environment.'

const unexplainedAdvice = "It didn't say why. Check what was sent, or ask the service's administrator."

type Answer = Extract<ExchangeEnd, { kind: 'answer' }>

/** The failure of a 2xx answer that isn't the service's: it is empty, or a web page. */
function unreadable({ status, body }: Answer): Failure {
  const isEmpty = textOf(body).trim() === ''
  return failure(
    'unreadable-answer',
    `The service answered ${status} with ${isEmpty ? 'an empty body' : 'a web page instead of JSON'}.`,
    {
      advice: isEmpty
        ? 'Check the base URL: something other than the service may be answering there.'
        : webPageAdvice,
      retryable: true,
    },
  )
}

/** The text of a body in UTF-8, without a byte order mark. */
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)

function redirected(
  { status, to }: Extract<ExchangeEnd, { kind: 'redirect' }>,
  secrets: readonly string[],
): Failure {
  const where = to === null ? 'elsewhere' : `to ${plainText(withoutQuery(to), secrets, 300)}`
  return failure('redirected', `The service redirects ${where} (${status}); Slipway didn't follow.`, {
    advice:
      'Request headers are sent to the base URL only. If the service has moved there, change the base URL. ' +
      'If that is a login page, log in, or ask for an API address.',
  })
}

/** Scheme, host and path of an address. Its query may contain tokens, so it is left out. */
function withoutQuery(address: string): string {
  try {
    const url = new URL(address)
    return url.origin === 'null' ? `${url.protocol}…` : url.origin + url.pathname
  } catch {
    return 'an unreadable address'
  }
}

/** The failure of an answer with a status that isn't 2xx. */
function refused(
  { status, body, contentType, retryAfter, date }: Answer,
  secrets: readonly string[],
): Failure {
  const error = readErrorBody(textOf(body), contentType, secrets)
  const { code, message, advice: general, retryable = false } = meaningOf(status)
  const isUnexplained = code === 'bad-request' && error.text === null && status !== 411 && status !== 413
  const isWithoutWorkspace = status === 403 && /workspace specification/i.test(error.text ?? '')
  const advice = isWithoutWorkspace ? workspaceAdvice : isUnexplained ? unexplainedAdvice : general
  return failure(code, `${message} (${status}).`, {
    advice: error.isWebPage ? `${advice} ${webPageAdvice}` : advice,
    retryable,
    serviceWords: error.text,
    issues: error.issues,
    retryAfterSeconds:
      code === 'rate-limited' || status === 503 ? readRetryAfter({ retryAfter, date }) : null,
  })
}

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
    advice:
      'Choose another name: a deployment, or the tracing project of an earlier one, may still use this one.',
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
    advice: 'Shorten the resource spec, the secrets or the filters.',
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
function meaningOf(status: number): StatusMeaning {
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

/** The failure of a request whose service showed a certificate that was refused. */
function certificateFailure(
  { error, refusal, own }: Extract<ExchangeEnd, { kind: 'certificate' }>,
  secrets: readonly string[],
  environmentId: string | null,
): Failure {
  const { host, reason, trustable } = refusal
  // The names in a certificate are shown and stored, and its maker chose them. So secrets are removed.
  const certificate = withoutSecrets(refusal.certificate, secrets)
  const expected = refusal.expected && withoutSecrets(refusal.expected, secrets)
  const general = explainNetworkError(error)
  const nothingSent = own ? ' Nothing was sent.' : ''
  const more = {
    retryable: true,
    certificate: { environmentId, host, certificate, expected, trustable, id: null },
  } satisfies Partial<Failure>
  if (expected) {
    return failure('certificate', 'The service presents a different certificate than the trusted one.', {
      ...more,
      advice:
        `It may have been renewed, or someone may be between you and the service.${nothingSent} Ask ` +
        "the service's administrator for the new fingerprint before you trust it.",
    })
  }
  if (reason) {
    return failure('certificate', `The service's certificate was rejected. ${plainText(reason, secrets)}`, {
      ...more,
      advice: `Check the base URL and the CA in the environment's settings.${nothingSent}`,
    })
  }
  const named = error === null ? general.message : `${general.message.slice(0, -1)} (${error}).`
  return failure('certificate', named, { ...more, advice: general.advice })
}

function withoutSecrets(certificate: Certificate, secrets: readonly string[]): Certificate {
  const { subject, issuer } = certificate
  return { ...certificate, subject: plainText(subject, secrets), issuer: plainText(issuer, secrets) }
}

/**
 * Whether the service may have seen a request, by the end of its exchange. Only this function decides it. Everything
 * else reads it from the failure.
 */
export function sentBy(end: ExchangeEnd): Failure['sent'] {
  switch (end.kind) {
    case 'not-sent':
      return 'no'
    case 'cancelled':
      return end.begun ? 'maybe' : 'no'
    case 'certificate':
      return end.own ? 'no' : 'maybe'
    case 'time-limit':
      if (end.status !== null) return 'answered'
      return end.begun ? 'maybe' : 'no'
    case 'network':
      return end.status === null ? sentBefore(end.error, end.mayHaveLeft) : 'answered'
    case 'answer':
    case 'redirect':
    case 'too-large':
      return 'answered'
  }
}

/** The longest wait that a service can ask for, in seconds. */
const longestWaitSeconds = 86_400

/**
 * The seconds in a Retry-After header (RFC 9110, 10.2.3: seconds or a date); null if it has none. A date is compared
 * with the answer's own, because the service's clock may differ from this machine's.
 */
export function readRetryAfter(
  { retryAfter, date }: { retryAfter: string | null; date?: string | null },
  now = Date.now(),
): number | null {
  const text = retryAfter?.trim() ?? ''
  const at = readTime(text)
  const seconds = /^\d{1,9}(?:\.\d+)?$/.test(text)
    ? Number(text)
    : at === null
      ? null
      : (at - (readTime(date) ?? now)) / 1000
  return seconds === null ? null : Math.min(Math.max(0, Math.ceil(seconds)), longestWaitSeconds)
}

/** Failures that show that the service is unreachable. All others, except a cancellation, show that it is reachable. */
const unreachable: readonly FailureCode[] = ['offline', 'timeout', 'certificate', 'proxy', 'connection-lost']

/** Whether a failure shows that the service is unreachable. */
export function isUnreachable({ code, status }: Failure): boolean {
  // The service itself may answer with the status of a proxy.
  return unreachable.includes(code) && (code !== 'proxy' || status === null)
}

/** Failures that show that something is wrong with the service, and not with what was asked. */
const failing: readonly FailureCode[] = [
  'service-error',
  'rate-limited',
  'redirected',
  'unreadable-answer',
  'unexpected-status',
]

/** Whether the service answered with an error of its own. It answers, but nothing is to be had from it. */
export const isServiceError = ({ code, sent }: Failure): boolean =>
  sent === 'answered' && failing.includes(code)
