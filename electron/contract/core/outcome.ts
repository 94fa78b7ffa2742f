import type { Failure, FailureCode } from './failure'

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

/** The result of a call. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure }

export const succeed = <T>(value: T): Outcome<T> => ({ ok: true, value })

export const fail = (reason: Failure): { ok: false; failure: Failure } => ({ ok: false, failure: reason })
