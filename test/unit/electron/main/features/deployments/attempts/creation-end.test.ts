import { fail, failure, type FailureCode, failureCodes, type Sent } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  endOf,
  isRefusal,
  unconfirmed,
} from '../../../../../../../electron/main/features/deployments/attempts/creation-end'

const ended = (sent: Sent, status: number | null, code: FailureCode = 'internal') =>
  endOf(fail(failure(code, 'It failed.', { sent, status, retryable: true })))

const statuses = Array.from({ length: 500 }, (_, index) => index + 100)

describe('the end of a creation', () => {
  it('is refused for statuses that a service sends before it begins, and for no others', () => {
    const refused = statuses.filter((status) => ended('answered', status).state === 'refused')
    expect(refused).toEqual([400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 429, 431])
  })

  it("depends on whether the request was sent, not on the failure's code", () => {
    for (const code of failureCodes) {
      expect(ended('no', null, code).state, code).toBe('refused')
      expect(ended('maybe', null, code).state, code).toBe('unclear')
      expect(ended('answered', null, code).state, code).toBe('unclear')
    }
  })

  it('says what an unconfirmed creation means, and offers no retry', () => {
    expect(ended('maybe', null)).toMatchObject({
      failure: {
        advice: 'The creation is unconfirmed. Slipway looks for the deployment in the list.',
        retryable: false,
      },
    })
  })

  it('says what else may hold a name that is taken', () => {
    expect(unconfirmed(failure('conflict', '', { sent: 'answered', status: 409 })).advice).toContain(
      'the tracing project of an earlier deployment may hold the name',
    )
  })

  it('is a refusal only if there was an answer', () => {
    expect(isRefusal(failure('conflict', '', { sent: 'answered', status: 409 }))).toBe(true)
    for (const sent of ['no', 'maybe'] as const)
      expect(isRefusal(failure('conflict', '', { sent, status: 409 }))).toBe(false)
  })
})
