import type { z } from 'zod'
import type { RefusedCertificate } from './network'

/** Everything that can go wrong, as a closed list. A failure is data: nothing is thrown across a process boundary. */
export type FailureCode =
  // Something is wrong with the call itself.
  | 'invalid-input'
  | 'not-allowed'
  | 'cancelled'
  | 'environment-changed'
  | 'not-found'
  | 'confirmation-needed'
  | 'attempt-unconfirmed'
  | 'attempt-changed'
  | 'other-service'
  | 'internal'
  // It failed before the service answered.
  | 'offline'
  | 'timeout'
  | 'certificate'
  | 'proxy'
  | 'connection-lost'
  // The service's answer is a failure.
  | 'redirected'
  | 'too-large'
  | 'unreadable-answer'
  | 'bad-request'
  | 'unauthorised'
  | 'forbidden'
  | 'not-found-at-service'
  | 'conflict'
  | 'rate-limited'
  | 'service-error'
  | 'unexpected-status'
  // Something is wrong on this machine.
  | 'keychain-locked'
  | 'keychain-missing'
  | 'keychain-unresponsive'
  | 'keychain-refused'
  | 'built-in-service'
  | 'cache'
  | 'disk-full'

/** One thing that is wrong with an input. `path` leads to the member, outermost first. */
export interface FieldIssue {
  path: readonly (string | number)[]
  message: string
}

/**
 * Whether the service may have seen the failed request:
 * - `no`: certainly not, so it did nothing;
 * - `maybe`: possibly, and it may have done what was requested;
 * - `answered`: it, or something in front of it, answered with the failure's `status`.
 */
export type Sent = 'no' | 'maybe' | 'answered'

/** A failure for display: what happened, what it means, what to do, and the service's own message. */
export interface Failure {
  code: FailureCode
  /** What happened, in one sentence. */
  message: string
  /** What it means and what to do, or null if the message says it all. */
  advice: string | null
  /** Whether the same call may succeed if it is repeated unchanged. */
  retryable: boolean
  sent: Sent
  /** The HTTP status, if the service answered. */
  status: number | null
  /** The service's own message, if it sent one: plain text, at most 2,000 characters. */
  serviceWords: string | null
  /** What is wrong with which member of an input, from our own check or the service's `detail` list. */
  issues: FieldIssue[]
  /** After how many seconds the service asked to be called again. */
  retryAfterSeconds: number | null
  /** The journal's identifier of the attempt that blocks the call. */
  attemptId?: string | undefined
  /** The service's certificate, if it was refused. */
  certificate?: RefusedCertificate | undefined
}

/** Whether a creation was refused because of its name. An earlier copy of the same request may have taken it. */
export const isNameTaken = ({ sent, status }: Failure): boolean => sent === 'answered' && status === 409

/**
 * How many issues of an input are reported, and how long their messages may be: an input may have any number of
 * members.
 */
const maxDetails = { issues: 200, characters: 500 } as const

/** The issues of a zod error as field issues; only the first ones if there are very many. */
export function fieldIssues(error: z.ZodError): FieldIssue[] {
  return error.issues.slice(0, maxDetails.issues).map((issue) => ({
    path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message: issue.message.slice(0, maxDetails.characters),
  }))
}

/** Creates a failure. Omitted members are null, empty, not retryable or not sent. */
export function failure(code: FailureCode, message: string, more: Partial<Failure> = {}): Failure {
  return {
    code,
    message,
    advice: null,
    retryable: false,
    sent: 'no',
    status: null,
    serviceWords: null,
    issues: [],
    retryAfterSeconds: null,
    ...more,
  }
}

/** What happened and what to do, as one text. */
export const failureText = ({ message, advice }: Pick<Failure, 'message' | 'advice'>): string =>
  [message, advice].filter(Boolean).join(' ')

/** The failure of a call that was cancelled before its request left. */
export const cancelledFailure: Failure = failure('cancelled', 'The call was cancelled.')

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure }

export const succeed = <T>(value: T): Outcome<T> => ({ ok: true, value })

export const fail = (reason: Failure): { ok: false; failure: Failure } => ({ ok: false, failure: reason })
