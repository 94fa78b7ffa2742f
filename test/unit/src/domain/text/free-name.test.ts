import { isSeen, isWellFormed } from '@contract/core/untrusted-text'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { freeName } from '@/domain/text/free-name'

const ending = (number: number): string => (number === 1 ? '' : ` (${number})`)

it('is the name itself if that is free, else the first number that is', () => {
  expect(freeName('Mine', () => false, ending)).toBe('Mine')
  expect(freeName('Mine', (name) => ['Mine', 'Mine (2)'].includes(name), ending)).toBe('Mine (3)')
})

it('is never too long, and never ends in a part of a character', () => {
  const part = fc.constantFrom('a', ' ', '🚀', '👩‍💻', '☀️', '1️⃣', 'می‌خواهم', '👨‍👩‍👧‍👦', '🏳️‍🌈')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 70 }), fc.integer({ min: 1, max: 200 }), (parts, number) => {
      const name = parts.join('').trim()
      fc.pre(isSeen(name))
      const free = freeName(name, (one) => !one.endsWith(ending(number)), ending)
      expect(free.length).toBeLessThanOrEqual(60)
      expect(isSeen(free)).toBe(true)
      expect(isWellFormed(free)).toBe(true)
      expect(free).toBe(free.trimEnd())
    }),
  )
})
