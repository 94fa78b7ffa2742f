import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf, slowDownWrongKeys } from '../../../../../electron/service/access/wrong-keys'

describe('slowDownWrongKeys', () => {
  it('checks 20 wrong keys and one more each second, whenever they come', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(steps, (pauses) => {
        let time = 0
        let looked = 0
        const wrongKeys = slowDownWrongKeys(() => time)
        for (const pause of pauses) {
          time += pause
          if (wrongKeys.wait('192.0.2.1', 'wrong') > 0) continue
          wrongKeys.note('192.0.2.1', 'wrong', false)
          looked += 1
        }
        expect(looked).toBeLessThanOrEqual(20 + time / 1_000)
        expect(looked).toBeGreaterThanOrEqual(Math.min(pauses.length, 20))
      }),
    )
  })

  it('says how long to wait, and checks again after that', () => {
    let time = 0
    const wrongKeys = slowDownWrongKeys(() => time)
    for (let count = 0; count < 20; count += 1) wrongKeys.note('192.0.2.1', `wrong ${count}`, false)
    const wait = wrongKeys.wait('192.0.2.1', 'another')
    expect(wait).toBe(1)
    time += wait * 1_000
    expect(wrongKeys.wait('192.0.2.1', 'another')).toBe(0)
  })

  it('never delays a key that was right from the same network, until it is wrong', () => {
    const wrongKeys = slowDownWrongKeys(() => 0)
    wrongKeys.note('192.0.2.1', 'right', true)
    for (let count = 0; count < 20; count += 1) wrongKeys.note('192.0.2.1', `wrong ${count}`, false)
    expect(wrongKeys.wait('192.0.2.1', 'right')).toBe(0)
    expect(wrongKeys.wait('192.0.2.2', 'any')).toBe(0)
    wrongKeys.note('192.0.2.1', 'right', false)
    expect(wrongKeys.wait('192.0.2.1', 'right')).toBeGreaterThan(0)
  })

  it('remembers 10,000 networks, the latest ones', () => {
    const wrongKeys = slowDownWrongKeys(() => 0)
    const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    for (let index = 0; index <= 10_000; index += 1) {
      for (let count = 0; count < 20; count += 1) wrongKeys.note(addressOf(index), 'wrong', false)
    }
    expect(wrongKeys.wait(addressOf(0), 'another')).toBe(0)
    expect(wrongKeys.wait(addressOf(1), 'another')).toBeGreaterThan(0)
  })
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '32.1.13.184.0.1.0.2'],
  ['2001:DB8:1:2::9', '32.1.13.184.0.1.0.2'],
  ['::1', '0.0.0.0.0.0.0.0'],
  ['fe80::1%eth0', '254.128.0.0.0.0.0.0'],
])('networkOf: %s is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
