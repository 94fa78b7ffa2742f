import {
  cancelledFailure,
  type Certificate,
  type Failure,
  type FailureCode,
  failure,
  fail,
  type Outcome,
  succeed,
} from '@contract'
import { readTime } from '@contract/core/time'
import type { ExchangeEnd, WhyNotSent, HttpAnswer } from './client'
import { isWebPage, plainText, readErrorBody } from './error-body'
import { explainNetworkError, proxyRefusal, sentBefore } from './network-errors'

/** What a failure depends on, besides the end of the exchange. */
export interface RequestContext {
  /** The secrets that the request sent. No failure may contain them. */
  secrets: readonly string[]
  /** The environment of the service; null for a draft of one. */
  environmentId?: string | null
}

const webPageAdvice =
  'The answer is a web page instead of JSON, perhaps from a login page or a proxy. ' +
  'Check the base URL, and whether you have to log in somewhere.'

/** Turns the end of an exchange into an outcome: a 2xx answer, or a failure of the contract. */
export function outcomeOf(end: ExchangeEnd, context: RequestContext): Outcome<HttpAnswer> {
  if (end.kind === 'answer' && end.status >= 200 && end.status < 300) return goodAnswerFrom(end)
  return fail({
    ...failureOf(end, context),
    sent: sentBy(end),
    status: 'status' in end ? end.status : null,
  })
}

function failureOf(end: ExchangeEnd, context: RequestContext): Failure {
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
      return certificateFailure(end, context.secrets, context.environmentId ?? null)
    case 'redirect':
      return redirected(end, context.secrets)
    case 'too-large':
      return failure(
        'too-large',
        `The answer is larger than ${end.limitBytes / 1024 / 1024} MiB, and wasn't read.`,
        { advice: 'Use a smaller page or a filter.' },
      )
    case 'answer':
      return refused(end, context)
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

const emptyObject = new TextEncoder().encode('{}')

/** How many bytes of a body are enough to recognise a web page. */
const beginningBytes = 1_000

/** The text of a body in UTF-8, without a byte order mark. */
function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}

function goodAnswerFrom({ status, body, contentType, location }: Answer): Outcome<HttpAnswer> {
  const beginning = textOf(body.subarray(0, beginningBytes)).trim()
  // Some services answer a creation with the new deployment's address alone.
  if (beginning === '' && (location || status === 204))
    return succeed({ status, body: emptyObject, location })
  if (beginning === '') {
    return unreadable(
      status,
      `The service answered ${status} with an empty body.`,
      'Check the base URL: something other than the service may be answering there.',
    )
  }
  // Some services send JSON with the content type of a web page.
  if (isWebPage(beginning, contentType) && !/^[[{"]/.test(beginning)) {
    return unreadable(
      status,
      `The service answered ${status} with a web page instead of JSON.`,
      webPageAdvice,
    )
  }
  return succeed({ status, body, location })
}

function unreadable(status: number, message: string, advice: string): Outcome<never> {
  return fail(failure('unreadable-answer', message, { advice, retryable: true, status, sent: 'answered' }))
}

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
  { secrets }: RequestContext,
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
