import { describe, expect, it } from 'vitest'
import { foldName } from '@contract/core/text'

describe('a folded name', () => {
  it.each([
    ['case', 'KOLSÅ', 'kolså'],
    ['composed and decomposed', 'KOLSA\u030a', 'kols\u00e5'],
    ['decomposed twice', 'Vie\u0323\u0302t', 'Vi\u1ec7t'],
    ['umlauts', 'ÄÖÜ', 'äöü'],
    ['accents', 'ÉCOLE', 'école'],
    ['ß and SS', 'STRASSE', 'straße'],
    ['ẞ and ß', 'STRAẞE', 'straße'],
    ['a dotted capital I', 'İSTANBUL', 'istanbul'],
    ['a dotless small i', 'ISTANBUL', 'ıstanbul'],
    ['a final sigma', 'ΟΔΟΣ 1', 'οδος 1'],
    ['Cyrillic', 'ЁЛКА', 'ёлка'],
    ['full width', 'ＡＧＥＮＴ－１', 'agent-1'],
    ['half-width kana', 'ｶﾞｲﾄﾞ', 'ガイド'],
    ['ligatures', 'ﬁnance', 'FINANCE'],
    ['the sign for Kelvin', '\u212aelvin', 'kelvin'],
    ['an invisible character', 'a\u200bgent', 'agent'],
    ['blanks', 'my\u00a0 agent', 'my agent'],
  ])('is the same: %s', (_what, one, other) => expect(foldName(one)).toBe(foldName(other)))

  it.each([
    ['KOLSÅ', 'kolsa'],
    ['agent-1', 'agent-2'],
    ['agent', 'my agent'],
  ])('is another one: %j, %j', (one, other) => expect(foldName(one)).not.toBe(foldName(other)))
})
