import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GatheredBody } from '../../../../../../electron/main/http/exchange/gathered-body'

it('joins all parts up to its limit', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 70_000, size: 'max' }), { maxLength: 8 })
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 200_000 }), (all, limit) => {
      const gathered = new GatheredBody(limit)
      const taken = all.filter((part) => gathered.add(part))
      expect(Buffer.from(gathered.body()).equals(Buffer.concat(taken))).toBe(true)
      expect(gathered.body().length).toBeLessThanOrEqual(limit)
      expect(taken.length === all.length).toBe(Buffer.concat(all).length <= limit)
    }),
  )
})
