import { Hono } from 'hono'
import { expect, test, vi, describe } from 'vitest'
import { answerThrown } from '../../../../electron/service/api/errors'
import type { Log } from '../../../../electron/service/base/log'
import { StorageFailure } from '../../../../electron/service/base/failures'
import fc from 'fast-check'
import { inexactNumber } from '../../../../electron/service/api/body'

describe('an error', () => {
  test.each([
    ['a failure of the database', new StorageFailure('unavailable', 'away'), 503],
    ['a fault', new Error('no'), 500],
  ])('%s is one line of the log, whatever is requested', async (_what, error, status) => {
    const problem = vi.fn<Log['problem']>()
    const app = new Hono()
    app.all('*', () => {
      throw error
    })
    app.onError(answerThrown({ problem, note: vi.fn(), request: vi.fn() }))
    const outgoing = { getHeader: () => undefined }
    const answer = await app.request('/nothing%0aPOST%20/v2/deployments%1b[31m\u{1f600}', {}, { outgoing })
    expect(answer.status).toBe(status)
    expect(problem.mock.calls[0]![0]).toContain(
      'GET /nothing%0APOST /v2/deployments%1B[31m%F0%9F%98%80 failed',
    )
    expect(problem.mock.calls[0]![0]).toMatch(/^[ -~]*$/)
  })
})

describe('numbers', () => {
  describe('inexactNumber', () => {
    test.each([
      ['9007199254740993', '9007199254740993'],
      ['{"a": [1, -9007199254740993]}', '-9007199254740993'],
      ['1e400', '1e400'],
      ['-1E+400', '-1E+400'],
      ['1e-400', '1e-400'],
      ['[0.1234567890123456789]', '0.1234567890123456789'],
      ['{"9": "9", "b": 1e999}', '1e999'],
      [`1${'0'.repeat(999)}`, `1${'0'.repeat(999)}`],
    ])('finds one in %s', (text, number) => {
      expect(inexactNumber(text)).toBe(number)
    })

    test.each([
      '9007199254740992',
      '9007199254740994',
      '1e308',
      `1${'0'.repeat(308)}`,
      '5e-324',
      '0.1',
      '100',
      '1.50',
      '-0',
      '0.000',
      '0e999',
      '1E5',
      '12.0e+01',
      '"9007199254740993"',
      String.raw`{"1e400 \" 1e400": "\\", "a": "\\\"1e400"}`,
      'null',
      '',
      '"',
      '-',
      '{"a": ',
    ])('finds none in %s', (text) => {
      expect(inexactNumber(text)).toBeNull()
    })

    test('finds none in what JSON.stringify writes', () => {
      fc.assert(fc.property(fc.jsonValue(), (value) => inexactNumber(JSON.stringify(value)) === null))
      fc.assert(fc.property(fc.double(), (number) => inexactNumber(JSON.stringify([number])) === null))
    })

    test('agrees with whole numbers of any length', () => {
      const isKept = (number: bigint): boolean => BigInt(Number(number)) === number
      fc.assert(
        fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (number) => {
          // A double may be a whole number that is written with other digits.
          const isFound = inexactNumber(`{"a":${number}}`) !== null
          expect(isFound || isKept(number)).toBe(true)
        }),
      )
    })

    test('handles a body of a mebibyte, whatever it consists of', () => {
      const size = 1024 * 1024
      for (const unit of ['[', '"', '\\', '\\"', '"\\"', '1', '0', '-', '1,', '10000000000000000000,', 'e']) {
        expect(() => inexactNumber(unit.repeat(size / unit.length))).not.toThrow()
      }
    })
  })
})
