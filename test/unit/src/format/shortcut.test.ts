import { expect, it } from 'vitest'
import { ariaShortcut, formatShortcut } from '@/format/shortcut'

it.each([
  ['Mod+K', 'Ctrl+K', '⌘K'],
  ['Mod+Ctrl+Alt+Shift+Left', 'Ctrl+Ctrl+Alt+Shift+←', '⌘⌃⌥⇧←'],
  ['Mod+Plus', 'Ctrl++', '⌘+'],
  ['?', '?', '?'],
  ['F5', 'F5', 'F5'],
  ['Escape', 'Esc', 'Esc'],
])('writes %s as each system does', (shortcut, other, mac) => {
  expect([formatShortcut(shortcut, false), formatShortcut(shortcut, true)]).toEqual([other, mac])
})

it('tells screen readers', () => {
  expect(ariaShortcut('Mod+Shift+K', false)).toBe('Control+Shift+K')
  expect(ariaShortcut('Mod+[', true)).toBe('Meta+[')
  expect(ariaShortcut('Alt+Left', false)).toBe('Alt+ArrowLeft')
})
