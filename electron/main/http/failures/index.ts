import {
  type Certificate,
  type Failure,
  type FailureCode,
  failure,
  fail,
  type Outcome,
  succeed,
} from '@contract'
import type { KnownSecrets } from '../../log/secrets/known-secrets'
import type { ExchangeEnd, WhyNotSent } from '../exchange/result'
import { explainNetworkError, proxyRefusal, sentBefore } from './network-errors'
import { plainText } from './plain-text'
import { isWebPage, readErrorBody } from './error-body'

/** What the mapping needs to know of the request. */
export interface Asked {
  /** What may not be in a failure: all that its service was sent in confidence. */
  secrets: KnownSecrets
  /** The environment whose service was asked; null for a draft of one. */
  environmentId?: string | null
}

/** Status and body of a 2xx answer. */
export interface GoodAnswer {
  status: number
  body: Uint8Array
  /** The header Date, where there was one. */
  date?: string | null
  /** The header Age, where there was one. */
  age?: string | null
}

const webPageAdvice =
  'The answer is a web page instead of JSON, perhaps from a login page or a proxy. ' +
  'Check the base URL, and whether you have to log in somewhere.'

/** Turns the end of an exchange into an outcome: a 2xx answer, or a failure of the contract. */
export function outcomeOf(end: ExchangeEnd, asked: Asked): Outcome<GoodAnswer> {
  switch (end.kind) {
    case 'cancelled':
      return fail(failure('cancelled', 'The call was cancelled.', { sent: end.begun ? 'maybe' : 'no' }))
    case 'time-limit':
      return fail(late(end))
    case 'not-sent':
      return fail(heldBack[end.why])
    case 'network': {
      const { code, message, advice } = explainNetworkError(end.error)
      const named = end.error === null ? message : `${message.slice(0, -1)} (${end.error}).`
      const { error, status, mayHaveLeft } = end
      return fail(failure(code, named, { advice, retryable: true, ...reached(status, error, mayHaveLeft) }))
    }
    case 'certificate':
      return fail(untrusted(end, asked))
    case 'redirect':
      return fail(redirected(end, asked))
    case 'too-large':
      return fail(
        failure(
          'too-large',
          `The answer is larger than ${end.limitBytes / 1024 / 1024} MiB, and wasn't read.`,
          {
            advice: 'Use a smaller page or a filter.',
            ...reached(end.status, null),
          },
        ),
      )
    case 'answer':
      return end.status >= 200 && end.status < 300 ? readAnswer(end) : fail(refusal(end, asked))
  }
}

/** A request that took too long. */
function late({ limitMs, status, begun }: Extract<ExchangeEnd, { kind: 'time-limit' }>): Failure {
  const seconds = limitMs / 1000
  if (!begun) {
    return failure('timeout', `The request couldn't be sent within ${seconds} seconds.`, {
      advice: 'Try again. If it keeps happening, check the network, the proxy and, if you use one, the VPN.',
      retryable: true,
      sent: 'no',
    })
  }
  return failure('timeout', `The service didn't answer within ${seconds} seconds.`, {
    advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
    retryable: true,
    ...reached(status, null),
  })
}

/** What Slipway itself did not send. */
const heldBack: Record<WhyNotSent, Failure> = {
  'no-session': failure('internal', 'Slipway has no network session left for this. Nothing was sent.', {
    advice: 'Try again in a moment. If it keeps happening, restart Slipway.',
    retryable: true,
    sent: 'no',
  }),
  'no-setup': failure('internal', "Slipway couldn't set up a network session for this. Nothing was sent.", {
    advice: "Check the proxy in the environment's settings, and try again.",
    retryable: true,
    sent: 'no',
  }),
  'environment-changed': failure(
    'environment-changed',
    'The environment changed before the request was sent.',
    { advice: 'Try again.', retryable: true, sent: 'no' },
  ),
  'network-process': failure(
    'internal',
    "Slipway's network process stopped and was restarted. Nothing was sent.",
    { advice: 'Try again.', retryable: true, sent: 'no' },
  ),
  'proxy-sign-in': failure(
    'not-allowed',
    'The proxy authenticates each connection (NTLM or Negotiate). Over plain HTTP, Slipway creates nothing through ' +
      'such a proxy, because the request could arrive twice. Nothing was sent.',
    {
      advice: "Use an HTTPS base URL, another proxy or no proxy in the environment's settings.",
      sent: 'no',
    },
  ),
}

/** Whether the service was reached: by the status of its answer, else by what there was instead. */
function reached(
  status: number | null,
  error: string | null,
  mayHaveLeft?: boolean,
): Pick<Failure, 'status' | 'sent'> {
  return { status, sent: status === null ? sentBefore(error, mayHaveLeft) : 'answered' }
}

/** A certificate that was refused. */
function untrusted(
  { error, refusal, own }: Extract<ExchangeEnd, { kind: 'certificate' }>,
  asked: Asked,
): Failure {
  const { host, reason, trustable } = refusal
  // Whoever makes a certificate chooses its names, which are shown and kept.
  const certificate = withoutSecrets(refusal.certificate, asked.secrets)
  const expected = refusal.expected && withoutSecrets(refusal.expected, asked.secrets)
  const usual = explainNetworkError(error)
  const nothingSent = own ? ' Nothing was sent.' : ''
  const more = {
    retryable: true,
    sent: own ? 'no' : 'maybe',
    certificate: {
      environmentId: asked.environmentId ?? null,
      host,
      certificate,
      expected,
      trustable,
      id: null,
    },
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
    return failure(
      'certificate',
      `The service's certificate was rejected. ${plainText(reason, asked.secrets)}`,
      {
        ...more,
        advice: `Check the base URL and the CA in the environment's settings.${nothingSent}`,
      },
    )
  }
  const named = error === null ? usual.message : `${usual.message.slice(0, -1)} (${error}).`
  return failure('certificate', named, { ...more, advice: usual.advice })
}

function withoutSecrets(certificate: Certificate, secrets: KnownSecrets): Certificate {
  const { subject, issuer } = certificate
  return { ...certificate, subject: plainText(subject, secrets), issuer: plainText(issuer, secrets) }
}

type Answer = Extract<ExchangeEnd, { kind: 'answer' }>

/** How much of a body is looked at to tell what it is. */
const beginningBytes = 1_000

/** The text of a body in UTF-8, without a byte order mark. */
function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}

function readAnswer({ status, body, contentType, date, age }: Answer): Outcome<GoodAnswer> {
  const beginning = textOf(body.subarray(0, beginningBytes)).trim()
  if (beginning === '') {
    return unreadable(
      status,
      `The service answered ${status} with an empty body.`,
      'Check the base URL: something other than the service may be answering there.',
    )
  }
  // Some services call their JSON a web page.
  if (isWebPage(beginning, contentType) && !/^[[{"]/.test(beginning)) {
    return unreadable(
      status,
      `The service answered ${status} with a web page instead of JSON.`,
      webPageAdvice,
    )
  }
  return succeed({ status, body, date, age })
}

/** A 2xx answer that cannot be made out. */
function unreadable(status: number, message: string, advice: string): Outcome<never> {
  return fail(failure('unreadable-answer', message, { advice, retryable: true, ...reached(status, null) }))
}

function redirected({ status, to }: Extract<ExchangeEnd, { kind: 'redirect' }>, asked: Asked): Failure {
  const where = to === null ? 'elsewhere' : `to ${plainText(withoutQuery(to), asked.secrets, 300)}`
  return failure('redirected', `The service redirects ${where} (${status}); Slipway didn't follow.`, {
    advice:
      'Request headers are sent to the base URL only. If the service has moved there, change the base URL. ' +
      'If that is a login page, log in, or ask for an API address.',
    ...reached(status, null),
  })
}

/** Scheme, host and path of an address: its query may carry tokens. */
function withoutQuery(address: string): string {
  try {
    const url = new URL(address)
    return url.origin === 'null' ? `${url.protocol}…` : url.origin + url.pathname
  } catch {
    return 'an unreadable address'
  }
}

interface StatusMeaning {
  code: FailureCode
  message: string
  advice: string
  retryable?: boolean
}

function refusal(answer: Answer, asked: Asked): Failure {
  const { status, body, contentType, retryAfter } = answer
  const { words, issues, isWebPage: page } = readErrorBody(textOf(body), contentType, asked.secrets)
  const { code, message, advice, retryable = false } = meaningOf(status, words ?? '')
  return failure(code, `${message} (${status}).`, {
    advice: page ? `${advice} ${webPageAdvice}` : advice,
    retryable,
    ...reached(status, null),
    serviceWords: words,
    issues,
    retryAfterSeconds: code === 'rate-limited' || status === 503 ? readRetryAfter(retryAfter) : null,
  })
}

function meaningOf(status: number, words: string): StatusMeaning {
  if (status >= 500 && status < 600) {
    return {
      code: 'service-error',
      message: status === 503 ? 'The service is unavailable' : 'The service failed',
      advice: 'The problem is on its side. Try again later, or ask its administrator.',
      retryable: true,
    }
  }
  switch (status) {
    case 400:
    case 422:
      return {
        code: 'bad-request',
        message: 'The service rejected the request',
        advice: 'Fix the problem below and try again.',
      }
    case 401:
      return {
        code: 'unauthorised',
        message: "The service doesn't accept the credentials",
        advice: "Check the environment's request headers: a key may be missing, mistyped or expired.",
      }
    case 403:
      return {
        code: 'forbidden',
        message: "The service doesn't allow this",
        advice: /workspace specification/i.test(words)
          ? 'The header X-Tenant-Id, which names the workspace, is missing. Add it to the environment.'
          : "Check that the environment's credentials have permission to do this.",
      }
    case 404:
      return {
        code: 'not-found-at-service',
        message: "The service can't find this",
        advice: 'Check the base URL and its path prefix, and that the item still exists.',
      }
    case 407:
      return {
        code: 'proxy',
        message: proxyRefusal.message.slice(0, -1),
        advice: `${proxyRefusal.advice} If none is set there, ask the administrator of the service or the network.`,
        retryable: true,
      }
    case 409:
      return {
        code: 'conflict',
        message: 'The service says that this is already in use',
        advice:
          'Choose another name: a deployment, or the tracing project of an earlier one, may still use this one.',
      }
    case 411:
      return {
        code: 'bad-request',
        message: 'The service, or something in front of it, requires the length of a request',
        advice: 'Try again: Slipway sends it from now on.',
        retryable: true,
      }
    case 413:
      return {
        code: 'bad-request',
        message: 'The request is too large for the service',
        advice: 'Shorten the resource spec, the secrets or the filters.',
      }
    case 429:
      return {
        code: 'rate-limited',
        message: 'The service limits how often it is called',
        advice: 'Try again later.',
        retryable: true,
      }
    default:
      return {
        code: 'unexpected-status',
        message: 'The service answered with an unexpected status',
        advice: 'Check the base URL: something other than the service may be answering there.',
        retryable: status === 408 || status === 425,
      }
  }
}

/** Seconds that a Retry-After header asks to wait (RFC 9110, 10.2.3: seconds or a date); null where it says none. */
export function readRetryAfter(header: string | null, now = Date.now()): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // A date in HTTP begins with the name of its day; Date.parse alone would read any number as a year.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
