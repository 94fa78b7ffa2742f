import { expect, it } from 'vitest'
import { addressFinder } from '../../../../../../electron/main/stored/personal/has-address'

const hasAddress = (text: string, baseUrls: readonly string[]): boolean => addressFinder(baseUrls)(text)

it('finds the host of a base URL in any case, with and without its port, and no other', () => {
  const baseUrls = ['https://Control.Example.com/api', 'http://127.0.0.1:8080']
  expect(hasAddress('see https://CONTROL.example.com/v2', baseUrls)).toBe(true)
  expect(hasAddress('127.0.0.1:8080', baseUrls)).toBe(true)
  expect(hasAddress('127.0.0.1', baseUrls)).toBe(true)
  expect(hasAddress('127.0.0.12', baseUrls)).toBe(false)
  expect(hasAddress('control plane of example.com', baseUrls)).toBe(false)
  expect(hasAddress('anything', [])).toBe(false)
})

it.each([
  'internal-host.example',
  'http://Internal-Host.example/base',
  'internal-host.example.:8443',
  'internal%2Dhost.example%3A8443',
  'internal%252Dhost%252Eexample',
  'ｉｎｔｅｒｎａｌ-ｈｏｓｔ.example',
  'internal-host。example',
  'api.internal-host.example',
  '100 %, at internal-host.example_2',
])('finds a host that is written as %s', (text) => {
  for (const baseUrl of ['http://Internal-Host.example:8443/base', 'http://internal-host.example.'])
    expect(hasAddress(text, [baseUrl])).toBe(true)
})

it.each([
  'münchen-intern.example',
  'MU\u0308NCHEN-intern.example',
  'm%C3%BCnchen-intern.example',
  new URL('https://münchen-intern.example').hostname,
])('finds an international host that is written as %s', (text) => {
  expect(hasAddress(text, ['https://münchen-intern.example'])).toBe(true)
})

it.each([
  ['localhost', 'http://localhost:9101', true],
  ['at (LOCALHOST)', 'http://localhost:9101', true],
  ['http://localhost:80', 'http://localhost:9101', true],
  ['localhosts', 'http://localhost:9101', false],
  ['my-localhost, my_localhost', 'http://localhost:9101', false],
  ['apis, then the api', 'http://api', true],
  ['api-gateway', 'http://api', false],
  ['a papier-mâché apiary', 'http://api', false],
  ['fd00::1', 'http://[fd00::1]:8080', true],
  ['fd00::12', 'http://[fd00::1]:8080', false],
])('finds in "%s" a host of one word as a whole word alone, of %s', (text, baseUrl, found) => {
  expect(hasAddress(text, [baseUrl])).toBe(found)
})
