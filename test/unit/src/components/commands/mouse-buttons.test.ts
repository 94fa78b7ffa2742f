import { expect, it } from 'vitest'
import { isEchoOfMouse, noteMouseButton } from '@/components/commands/mouse-buttons'

it('takes what the system repeats right after a button of the mouse as the same press', () => {
  expect(isEchoOfMouse(1_000)).toBe(false)
  noteMouseButton(1_000)
  expect(isEchoOfMouse(1_050)).toBe(true)
  expect(isEchoOfMouse(5_000)).toBe(false)
})
