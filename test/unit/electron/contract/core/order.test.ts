import { expect, it } from 'vitest'
import { collator, orderKey } from '@contract/core/order'

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
