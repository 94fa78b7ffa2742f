import { expect, it } from 'vitest'
import { ariaShortcuts, formatShortcut } from '@/format/shortcut'

it.each([
  ['Mod+K', 'Ctrl+K', '⌘K'],
  ['Mod+Ctrl+Alt+Shift+Left', 'Ctrl+Ctrl+Alt+Shift+←', '⌘⌃⌥⇧←'],
  ['Mod+Plus', 'Ctrl++', '⌘+'],
  ['?', '?', '?'],
  ['F5', 'F5', 'F5'],
  ['Escape', 'Esc', 'Esc'],
  ['G D', 'G then D', 'G then D'],
])('writes %s as each system does', (shortcut, other, mac) => {
  expect([formatShortcut(shortcut, false), formatShortcut(shortcut, true)]).toEqual([other, mac])
})

it('has a form for screen readers', () => {
  expect(ariaShortcuts(['Mod+Shift+K', '/'], false)).toBe('Control+Shift+K /')
  expect(ariaShortcuts(['Mod+['], true)).toBe('Meta+[')
  expect(ariaShortcuts(['Alt+Left'], false)).toBe('Alt+ArrowLeft')
})

it('omits two-key shortcuts there, which the attribute would read as two shortcuts', () => {
  expect(ariaShortcuts(['Mod+1', 'G D'], false)).toBe('Control+1')
  expect(ariaShortcuts(['G D'], false)).toBeUndefined()
})
