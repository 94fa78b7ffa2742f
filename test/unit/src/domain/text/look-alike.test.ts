import { expect, it } from 'vitest'
import { lookAlike } from '@/domain/text/look-alike'

it.each([
  ['Prоductiоn', 'Production', 'о of Cyrillic'],
  ['РRОD', 'prod', 'capitals of Cyrillic'],
  ['Ρrod', 'Prod', 'a capital of Greek'],
  ['pr0d', 'prod', 'a digit'],
  ['prod-1', 'prod-l', 'a digit'],
])('%s can be taken for %s: %s', (name, other) => {
  expect(lookAlike(name, ['Staging', other])).toBe(other)
})

it.each([
  ['Production', 'PRODUCTION'],
  ['Production', 'Production 2'],
  ['Продакшен', 'Стейджинг'],
  ['prod-1', 'prod-2'],
])("%s can't be taken for %s, or is the same name", (name, other) => {
  expect(lookAlike(name, [other])).toBeNull()
})
