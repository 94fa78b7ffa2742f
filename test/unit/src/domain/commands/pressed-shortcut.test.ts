import { expect, it } from 'vitest'
import { pressedShortcut } from '@/domain/commands/pressed-shortcut'

const key = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
})

it.each([
  ['Mod+K', key('k', { ctrlKey: true })],
  ['Mod+Shift+K', key('K', { ctrlKey: true, shiftKey: true })],
  ['Alt+Left', key('ArrowLeft', { altKey: true })],
  ['/', key('/')],
  ['?', key('?', { shiftKey: true })],
  ['Shift+N', key('N', { shiftKey: true })],
  ['N', key('n')],
  ['F5', key('F5')],
  ['Shift+F5', key('F5', { shiftKey: true })],
  ['Mod+Plus', key('+', { ctrlKey: true, shiftKey: true })],
  // Caps Lock is not Shift.
  ['Mod+K', key('K', { ctrlKey: true })],
  // Cyrillic.
  ['Mod+K', key('л', { ctrlKey: true, code: 'KeyK' })],
  ['Mod+K', key('k', { ctrlKey: true, code: 'KeyT' })],
  ['G', key('п', { code: 'KeyG' })],
  ['Shift+N', key('Т', { shiftKey: true, code: 'KeyN' })],
])('%s', (shortcut, event) => expect(pressedShortcut(event, false)).toBe(shortcut))

it('distinguishes Command and Control on macOS', () => {
  expect(pressedShortcut(key('k', { metaKey: true }), true)).toBe('Mod+K')
  expect(pressedShortcut(key('k', { ctrlKey: true }), true)).toBe('Ctrl+K')
  expect(pressedShortcut(key('f', { ctrlKey: true, metaKey: true }), true)).toBe('Mod+Ctrl+F')
})
