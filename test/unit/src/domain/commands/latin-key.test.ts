import { expect, it } from 'vitest'
import { latinKey } from '@/domain/commands/latin-key'

it.each([
  ['j', { key: 'о', code: 'KeyJ' }],
  ['j', { key: 'О', code: 'KeyJ' }],
  ['k', { key: 'κ', code: 'KeyK' }],
  ['b', { key: 'لا', code: 'KeyB' }],
  // Latin letters count as typed, whatever the layout.
  ['j', { key: 'j', code: 'KeyC' }],
  ['ą', { key: 'ą', code: 'KeyA' }],
  ['ArrowDown', { key: 'ArrowDown', code: 'ArrowDown' }],
  ['/', { key: '/', code: 'Backslash' }],
  ['Dead', { key: 'Dead', code: 'KeyN' }],
  // Option and M on macOS.
  ['µ', { key: 'µ', code: 'KeyM', altKey: true }],
])('%s', (expected, pressed) => expect(latinKey({ altKey: false, ...pressed })).toBe(expected))
