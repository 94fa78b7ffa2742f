import { DatabaseError } from 'pg'
import { describe, expect, test } from 'vitest'
import { meaningOf, reasonOf } from '../../../../../electron/service/database/postgres'

function fromServer(code: string): DatabaseError {
  return Object.assign(new DatabaseError('said by the server', 0, 'error'), { code, severity: 'ERROR' })
}

describe('meaningOf', () => {
  test.each([
    ['a full disk', '53100', { reason: 'full', isLost: false }],
    ['too many connections', '53300', { reason: 'unavailable', isLost: false }],
    ['a statement that took too long', '57014', { reason: 'unavailable', isLost: false }],
    ['a server that ends', '57P01', { reason: 'uncertain', isLost: true }],
    ['a server that starts', '57P03', { reason: 'uncertain', isLost: true }],
    ['a standby', '25006', { reason: 'unavailable', isLost: true }],
    ['a deadlock', '40P01', { reason: 'unavailable', isLost: false }],
    ['a damaged table', 'XX001', { reason: 'unavailable', isLost: false }],
  ])('knows %s', (_what, code, meaning) => {
    expect(meaningOf(fromServer(code))).toEqual(meaning)
  })

  test('knows that a server without space for its log ends, and may have carried out the request', () => {
    const error = Object.assign(fromServer('53100'), { severity: 'PANIC', file: 'xlog.c' })
    expect(meaningOf(error)).toEqual({ reason: 'uncertain', isLost: true })
  })

  test.each(['42601', '22P02', '23505'])('does not translate a bug of the program: %s', (code) => {
    expect(meaningOf(fromServer(code))).toBeNull()
    expect(meaningOf(new TypeError('not a function'))).toBeNull()
  })

  test.each([
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  ])('treats an error that no server reported as a lost connection: %s', (error) => {
    expect(meaningOf(error)).toMatchObject({ reason: 'uncertain', isLost: true })
  })
})

test('reasonOf shows why the first address of a name failed', () => {
  const refused = new Error('connect ECONNREFUSED ::1:5432')
  expect(reasonOf(new AggregateError([refused, new Error('other')]))).toBe('connect ECONNREFUSED ::1:5432')
  expect(reasonOf(refused)).toBe('connect ECONNREFUSED ::1:5432')
})
