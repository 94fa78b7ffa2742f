import { expect, it, describe, test } from 'vitest'
import { collator, orderKey } from '@contract/core/order'
import { foldName } from '@contract/core/text'
import { readTime, utcTime } from '@contract/core/time'

describe('the order of texts', () => {
  const inOrder = [
    [' ', 'blanks'],
    ['_agent', '-agent', '.agent', '(agent)', '#1', '…'],
    ['2', '２', '٣', '4', '007', '8', '12', '13', '1000000000000000000', '9999999999999999999'],
    [
      'agent',
      'agent 2',
      'agent_2',
      'agent-1',
      'agent-2',
      'agent-010',
      'agent-11',
      'agents',
      'Ägent 2',
      'AGENTB',
    ],
    ['v1.2.3', 'v1.9', 'v1.10', 'v1.10.1', 'v2-rc', 'v2-rc1', 'v10'],
    ['Apfel', 'Äpfel', 'ærlig', 'af', 'é', 'ea', 'eb'],
    [
      'Lodz',
      'Łódź',
      'Lyon',
      'n',
      'nz',
      'ŋ',
      'o',
      'orsted',
      'Ørsted',
      'Öl',
      'Ost',
      'ss',
      'ß',
      'st',
      'þ',
      't',
      'ŧ',
      'u',
    ],
    [
      'İzmir',
      'izmir',
      'ızmir',
      'zeta',
      'Zeta',
      'Ωmega',
      'Жук',
      'ёлка',
      'Иван',
      'Йод',
      'кот',
      '나',
      '日本',
      '東京',
    ],
    ['\u00e1', 'a\u0301', 'ﬁn', 'fin', '𝒜'],
  ]

  it.each(inOrder.map((texts) => [texts]))('orders keys as the collator orders texts: %j', (texts) => {
    const all = [...texts, ...inOrder.flat()]
    for (const one of texts) {
      for (const other of all) {
        const [key, otherKey] = [orderKey(one), orderKey(other)]
        const byKey = key < otherKey ? -1 : key > otherKey ? 1 : 0
        expect([one, other, byKey]).toEqual([one, other, Math.sign(collator.compare(one, other))])
      }
    }
  })

  it('writes keys in printable ASCII without a blank', () => {
    for (const text of [...inOrder.flat(), '\ud800', '\0\u0007', 'か', '🎉'])
      expect(orderKey(text)).toMatch(/^[!-~]*$/)
    expect(orderKey('ä1'.repeat(1_000)).length).toBeLessThan(1_000)
  })
})

describe('names', () => {
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
})

describe('times', () => {
  const moment = Date.UTC(2026, 10, 28, 22, 8, 7)

  test.each<[string | number, number]>([
    ['2026-11-28T22:08:07Z', 0],
    ['2026-11-28T22:08:07', 0],
    ['2026-11-28T22:08:07.142456', 142],
    ['2026-11-28T22:08:07,142', 142],
    ['2026-11-28T22:08:07.142456789Z', 142],
    ['2026-11-28t22:08:07.1z', 100],
    ['2026-11-28 22:08:07', 0],
    ['2026-11-28 22:08:07.142456 +0000 UTC', 142],
    ['2026-11-28 22:08:07 UTC', 0],
    ['2026-11-29T00:08:07+02:00', 0],
    ['2026-11-29T00:08:07+0200', 0],
    ['2026-11-29 00:08:07+02', 0],
    ['2026-11-28 16:38:07-0530', 0],
    ['20261128T220807Z', 0],
    [' 2026-11-28T22:08:07Z\n', 0],
    ['Sat, 28 Nov 2026 22:08:07 GMT', 0],
    ['Sat, 28 Nov 2026 23:08:07 +0100', 0],
    ['Saturday, 28-Nov-26 22:08:07 GMT', 0],
    [moment / 1000, 0],
    [moment / 1000 + 0.142, 142],
    [moment, 0],
    [moment * 1000, 0],
    [String(moment / 1000), 0],
    [String(moment), 0],
  ])('%s is one moment, in UTC if it has no zone', (value, ms) => {
    expect(readTime(value)).toBe(moment + ms)
  })

  test.each([
    ['2026-11-28T22:08', '2026-11-28T22:08:00.000Z'],
    ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
  ])('%s is %s', (value, expected) => {
    expect(utcTime(value)).toBe(expected)
  })

  test.each([
    '',
    'yesterday',
    '2026',
    '2026-13-01T00:00:00Z',
    '2026-11-28T22:61:00Z',
    '0001-01-01T00:00:00Z',
    '1 Nov',
    0,
    5,
    -1,
    Number.NaN,
    1e30,
  ])('%s is no time', (value) => {
    expect([readTime(value), utcTime(value)]).toEqual([null, typeof value === 'string' ? value : null])
  })

  test('leaves a day alone as it came, since it says no moment', () => {
    expect(utcTime('2026-11-28')).toBe('2026-11-28')
  })
})
