import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../../../../../electron/main/http/failures/plain-text'

describe('the text of a service', () => {
  it('shows no part of a secret, wherever the text is cut', () => {
    const secret = 'hunter-two-and-a-half'
    const unseen = fc.constantFrom('\u0000', '\u200B', '\u202E', 'x', ' ')
    fc.assert(
      fc.property(fc.nat({ max: 30 }), unseen, fc.integer({ min: 4, max: 200 }), (before, sign, longest) => {
        const text = `${sign.repeat(longest * 10 - before)}${secret}${'y'.repeat(3_000)}`
        const shown = plainText(text, [secret], longest)
        expect(Array.from(shown).length).toBeLessThanOrEqual(longest)
        expect(shown).not.toMatch(/hunt/)
      }),
    )
  })
})
