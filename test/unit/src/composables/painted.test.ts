import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { afterPaint, usePainted } from '@/composables/painted'

let frames: Map<number, FrameRequestCallback>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  frames = new Map()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (work: FrameRequestCallback) => {
    frames.set((last += 1), work)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => frames.delete(frame))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function paint(): void {
  for (const work of frames.values()) work(0)
  frames.clear()
}

it('runs once, in an idle moment after the next frame', () => {
  const work = vi.fn()
  afterPaint(work)
  vi.advanceTimersByTime(400)
  expect(work).not.toHaveBeenCalled()
  paint()
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(work).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(5_000)
  expect(work).toHaveBeenCalledOnce()
})

it('runs after a while in a window that is not painted', () => {
  const work = vi.fn()
  afterPaint(work)
  vi.advanceTimersByTime(500)
  expect(work).toHaveBeenCalledOnce()
  paint()
  vi.advanceTimersByTime(5_000)
  expect(work).toHaveBeenCalledOnce()
})

it('does nothing once it is cancelled, before or after the frame', () => {
  const work = vi.fn()
  afterPaint(work)()
  const cancel = afterPaint(work)
  paint()
  cancel()
  vi.advanceTimersByTime(5_000)
  expect(work).not.toHaveBeenCalled()
})

it('reports that something was painted once it is first in the page', async () => {
  const isDrawn = ref(false)
  const scope = effectScope()
  const isPainted = scope.run(() => usePainted(() => isDrawn.value))!
  vi.advanceTimersByTime(5_000)
  expect(isPainted.value).toBe(false)
  isDrawn.value = true
  await nextTick()
  paint()
  vi.advanceTimersByTime(1)
  expect(isPainted.value).toBe(true)
  isDrawn.value = false
  await nextTick()
  expect(isPainted.value).toBe(true)
  scope.stop()
})
