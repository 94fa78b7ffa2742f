import { expect, it } from 'vitest'
import { isNewPress } from '@/components/commands/mouse-buttons'

it('counts a press once that both the page and the system report, in either order', () => {
  expect(isNewPress('page', 1_000)).toBe(true)
  expect(isNewPress('system', 1_050)).toBe(false)
  expect(isNewPress('system', 2_000)).toBe(true)
  expect(isNewPress('page', 2_050)).toBe(false)
})

it('counts every press that only one of them reports', () => {
  const presses = [10_000, 10_050, 10_100].map((ms) => isNewPress('page', ms))
  expect(presses).toEqual([true, true, true])
  expect(isNewPress('system', 20_000)).toBe(true)
})
