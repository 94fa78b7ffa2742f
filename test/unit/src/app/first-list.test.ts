import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type * as Painted from '@/app/window'
import { type EffectScope, effectScope } from 'vue'

let list: typeof Painted
let scope: EffectScope

beforeEach(async () => {
  // Its state lasts until the page is loaded again.
  vi.resetModules()
  list = await import('@/app/window')
  scope = effectScope()
})
afterEach(() => scope.stop())

it('goes on waiting for the first list if the window opens under the pointer', () => {
  scope.run(() => list.awaitFirstList(() => false))
  window.dispatchEvent(new MouseEvent('pointermove'))
  expect(list.isFirstListPainted.value).toBe(false)
})

it.each(['pointerdown', 'keydown'])('waits no longer once someone uses the window: %s', (sign) => {
  scope.run(() => list.awaitFirstList(() => false))
  window.dispatchEvent(new Event(sign))
  expect(list.isFirstListPainted.value).toBe(true)
})
