import { expect, it } from 'vitest'
import { hasAddress } from '../../../../../electron/main/personal/has-address'

it('finds the host of a base URL with its port, in any case, and no other', () => {
  const baseUrls = ['https://Control.Example.com/api', 'http://127.0.0.1:8080']
  expect(hasAddress('see https://CONTROL.example.com/v2', baseUrls)).toBe(true)
  expect(hasAddress('127.0.0.1:8080', baseUrls)).toBe(true)
  expect(hasAddress('127.0.0.1', baseUrls)).toBe(false)
  expect(hasAddress('control plane of example.com', baseUrls)).toBe(false)
  expect(hasAddress('anything', [])).toBe(false)
})
