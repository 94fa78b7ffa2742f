import { describe, expect, it } from 'vitest'
import {
  beginsShortcut,
  commandOf,
  deploymentRowKeys,
  isShortcut,
  tableKeys,
  whyNoShortcut,
  whyNotFor,
} from '@/app/shortcuts'
import { commandIds, commands, defaultShortcuts, isTyped, shortcutsOf } from '@contract/app/shortcuts'

describe.each([false, true])('the default shortcuts (macOS: %s)', (onMac) => {
  const all = commandIds.flatMap((id) => defaultShortcuts(id, onMac))

  it('are each used once and have no other meaning', () => {
    expect(new Set(all).size).toBe(all.length)
    expect(all.map((shortcut) => [shortcut, whyNoShortcut(shortcut)])).toEqual(
      all.map((shortcut) => [shortcut, null]),
    )
  })

  it('apply if nothing was changed', () => {
    const held = shortcutsOf({}, onMac)
    for (const id of commandIds) expect(held[id]).toEqual(defaultShortcuts(id, onMac))
  })
})

it('has a label of its own for every command', () => {
  const labels = Object.values(commands).map(({ label }) => label)
  expect(new Set(labels).size).toBe(labels.length)
})

it.each([
  '/',
  '?',
  'K',
  'Mod+K',
  'Mod+Ctrl+Alt+Shift+K',
  'Alt+Left',
  'F1',
  'F24',
  'Mod+Plus',
  'Mod+[',
  '~',
  'Mod+Enter',
  'G D',
  '/ ?',
])('%s is a shortcut', (text) => expect(isShortcut(text)).toBe(true))

it.each([
  '',
  'k',
  'Mod',
  'Mod+',
  'Shift+Mod+K',
  'Mod+Mod+K',
  'Enter',
  'Shift+Enter',
  'F25',
  'F0',
  ' ',
  'é',
  '+',
  'Mod++',
  'KK',
  'G d',
  'G D E',
  'Mod+G D',
  'G F5',
  '\n',
])('%j is not a shortcut', (text) => expect(isShortcut(text) && whyNoShortcut(text) === null).toBe(false))

it('knows which keys a text field takes as text', () => {
  expect(['/', '?', 'K', 'Shift+K', 'Plus', 'G D'].map(isTyped)).toEqual(Array(6).fill(true))
  expect(['Mod+K', 'Alt+Left', 'F1', 'Ctrl+Shift+K', 'Alt+K'].map(isTyped)).toEqual(Array(5).fill(false))
})

it.each(['Mod+C', 'Mod+V', 'J', 'K', 'F11', 'Left', 'Shift+Home', 'PageUp', 'Mod+Plus'])(
  'reserves %s for its existing meaning',
  (shortcut) => expect(whyNoShortcut(shortcut)).toMatch(/\.$/),
)

it('gives a changed shortcut to its command only, before the default of another', () => {
  const held = shortcutsOf({ refresh: ['Mod+K', 'F5'], back: [], 'go-activity': ['F5'] }, false)
  expect(held.refresh).toEqual(['Mod+K', 'F5'])
  expect(held['open-palette']).toEqual([])
  expect(held.back).toEqual([])
  expect(held['go-activity']).toEqual([])
  expect(commandOf('Mod+K', held)).toBe('refresh')
  expect(commandOf('Alt+Left', held)).toBeNull()
})

it('reserves every key of tables', () => {
  const keys = [...tableKeys, ...deploymentRowKeys].flatMap((one) => one.keys)
  expect(keys.map(whyNoShortcut).filter((why) => why === null)).toEqual([])
})

it("gives no command a key that begins another command's two keys, nor the reverse", () => {
  const held = shortcutsOf({}, false)
  expect(commandOf('G D', held)).toBe('go-deployments')
  expect([beginsShortcut('G', held), beginsShortcut('D', held)]).toEqual([true, false])
  expect(whyNotFor('refresh', 'G', held)).toBe('It begins a shortcut of "Overview". Change that one first.')
  expect(whyNotFor('refresh', '/ A', held)).toBe(
    'Its first key already belongs to "Find on this screen". Change that one first.',
  )
  expect(whyNotFor('refresh', 'J A', held)).toContain('Its first key already means "Next row"')
  expect(whyNotFor('refresh', 'G J', held)).toBeNull()
  expect(shortcutsOf({ refresh: ['G'] }, false)['go-deployments']).toEqual(['Mod+1'])
  expect(shortcutsOf({ refresh: ['Z A', 'Z'] }, false).refresh).toEqual(['Z A'])
})
