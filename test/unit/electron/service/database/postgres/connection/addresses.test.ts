import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../../../../electron/service/base/refusal'
import { readAddresses } from '../../../../../../../electron/service/database/postgres/connection/addresses'

describe('readAddresses', () => {
  test.each([
    ['postgres://me@db.example:5433/d', ['db.example:5433']],
    ['postgresql://me:pass%40word@db.example/d?sslmode=disable', ['db.example:5432']],
    ['postgres://me@one:1,two:2,three/d', ['one:1', 'two:2', 'three:5432']],
    ['postgres:///d?host=/run/postgresql', ['/run/postgresql']],
    ['postgres://me@[::1]:5433/d', ['::1:5433']],
  ])('reads %s', (text, labels) => {
    expect(readAddresses(text).map(({ label }) => label)).toEqual(labels)
  })

  test('gives each server the user, the database and the options', () => {
    expect(readAddresses('postgres://me:pw@one:1,two:2/d?sslmode=disable')).toEqual([
      { label: 'one:1', connectionString: 'postgres://me:pw@one:1/d?sslmode=disable' },
      { label: 'two:2', connectionString: 'postgres://me:pw@two:2/d?sslmode=disable' },
    ])
  })

  test.each([
    '',
    'mysql://me:hidden@h/d',
    'postgres://me:hidden@h:port/d',
    'postgres://me:hid/den@h/d',
    'host=h password=hidden',
    'postgres://me:hidden@h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
  ])('refuses %s without showing it', (text) => {
    let thrown: unknown
    try {
      readAddresses(text)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(Refusal)
    expect((thrown as Refusal).message).not.toMatch(/hid/)
  })
})
