import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readSideText, type SideRef, sideText } from '@/features/compare/side-ref'

it('reads every side back from its text', () => {
  const texts = fc.string({ minLength: 1, unit: 'grapheme' })
  const named = fc.record({
    kind: fc.constantFrom('deployment' as const, 'draft' as const),
    environmentId: texts,
    id: texts,
  })
  const earlier = fc.record({
    kind: fc.constant('earlier' as const),
    environmentId: texts,
    id: texts,
    point: fc.nat({ max: 999_999_999 }),
  })
  const file = fc.nat({ max: 999_999_999 }).map((id): SideRef => ({ kind: 'file', id: String(id) }))
  fc.assert(
    fc.property(fc.oneof(named, earlier, file), (side) => {
      expect(readSideText(sideText(side))).toEqual(side)
    }),
  )
})
