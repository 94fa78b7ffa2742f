import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientAddressBehind } from '../../../../../electron/service/access/client-address'

const requestFrom = (remoteAddress: string | undefined, forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress } as Socket,
})

describe('clientAddressBehind', () => {
  test.each([
    ['another than a trusted proxy says nothing of others', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a trusted proxy says who is in front of it', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['only the last that no proxy has counts', '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    [
      'a socket of both families has mapped addresses',
      '::ffff:10.1.2.3',
      '::ffff:198.51.100.1',
      '198.51.100.1',
    ],
    ['proxies may write ports', '2001:db8::5', '[2001:db8:1::7]:443, 10.0.0.1:80', '2001:db8:1::7'],
    ['without the header, the proxy counts', '10.1.2.3', undefined, '10.1.2.3'],
    ['what is no address ends the chain', '10.1.2.3', '198.51.100.1, unknown, 10.0.0.7', '10.0.0.7'],
    ['proxies alone: the first of them', '10.1.2.3', '10.0.0.1', '10.0.0.1'],
    ['no address at all', undefined, '198.51.100.1', ''],
  ])('%s', (_what, remote, forwarded, expected) => {
    const addressOf = clientAddressBehind(['10.0.0.0/8', '2001:db8::5'])
    expect(addressOf(requestFrom(remote, forwarded))).toBe(expected)
  })

  test('a client cannot change its address by what it sends', () => {
    const addressOf = clientAddressBehind(['10.0.0.1'])
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (made, address) => {
        fc.pre(address !== '10.0.0.1')
        expect(addressOf(requestFrom('10.0.0.1', `${made},${address}`))).toBe(address)
      }),
    )
  })
})
