import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type * as FirstList from '@/composables/first-list'
import { type EffectScope, effectScope, nextTick, ref } from 'vue'

let list: typeof FirstList
let scope: EffectScope

beforeEach(async () => {
  const frames = ['requestAnimationFrame', 'cancelAnimationFrame'] as const
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...frames] })
  // Its state lasts until the page is loaded again.
  vi.resetModules()
  list = await import('@/composables/first-list')
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

it('lets other work start once the first list is painted, and never waits again', async () => {
  const isDrawn = ref(false)
  const [before, later] = [vi.fn(), vi.fn()]
  scope.run(() => {
    list.awaitFirstList(() => isDrawn.value)
    list.afterFirstList(before)
  })
  vi.advanceTimersByTime(400)
  isDrawn.value = true
  await nextTick()
  expect(list.isFirstListPainted.value).toBe(false)
  await vi.advanceTimersByTimeAsync(20)
  expect(list.isFirstListPainted.value).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(before).toHaveBeenCalledOnce()

  scope.run(() => {
    list.awaitFirstList(() => false)
    list.afterFirstList(later)
  })
  vi.advanceTimersByTime(1)
  expect(later).toHaveBeenCalledOnce()
})

it('does not wait long for a list that never appears', () => {
  scope.run(() => list.awaitFirstList(() => false))
  vi.advanceTimersByTime(999)
  expect(list.isFirstListPainted.value).toBe(false)
  vi.advanceTimersByTime(1)
  expect(list.isFirstListPainted.value).toBe(true)
})

it('waits for the list of the next screen if its own screen is gone', async () => {
  const work = vi.fn()
  scope.run(() => {
    list.awaitFirstList(() => true)
    list.afterFirstList(work)
  })
  scope.stop()
  vi.advanceTimersByTime(5_000)
  await nextTick()
  expect(list.isFirstListPainted.value).toBe(false)
  expect(work).not.toHaveBeenCalled()
})

it.each(['pointermove', 'keydown'])('waits no longer once someone uses the window: %s', (sign) => {
  scope.run(() => list.awaitFirstList(() => false))
  window.dispatchEvent(new Event(sign))
  expect(list.isFirstListPainted.value).toBe(true)
})
