import type { Failure } from '@contract'
import type { ExchangeEnd } from '../exchange'
import { sentBefore } from './network-errors'

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
