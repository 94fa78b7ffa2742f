import { beforeEach, expect, it, vi } from 'vitest'
import { afterClick } from '@/components/form/after-click'

const fire = (type: string): boolean => window.dispatchEvent(new Event(type))

beforeEach(() => {
  vi.useFakeTimers()
})

it('runs at once while nothing is pressed', () => {
  const work = vi.fn()
  afterClick(work)
  expect(work).toHaveBeenCalledOnce()
})

it.each(['pointerup', 'pointercancel'])('waits for %s and the click that follows it', (end) => {
  const order: string[] = []
  fire('pointerdown')
  afterClick(() => order.push('work'))
  fire(end)
  order.push('click')
  vi.runAllTimers()
  expect(order).toEqual(['click', 'work'])
  afterClick(() => order.push('at once'))
  expect(order).toEqual(['click', 'work', 'at once'])
})
