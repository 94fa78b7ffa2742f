import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it } from 'vitest'
import WidthEdge from '@/components/page/WidthEdge.vue'

let edge: ReturnType<typeof mount<typeof WidthEdge>>

const element = (): HTMLElement => edge.element as HTMLElement

beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => {}
  const widths = { min: 360, default: 480, max: 720 }
  edge = mount(WidthEdge, {
    props: { label: 'Panel width', width: 480, widths, controls: 'panel' },
    attachTo: document.body,
  })
  element().parentElement!.getBoundingClientRect = () => ({ width: 400 }) as DOMRect
})
afterEach(() => edge.unmount())

const point = (type: string, clientX: number, button = 0): void => {
  element().dispatchEvent(new PointerEvent(type, { clientX, button, pointerId: 1 }))
}

it('moves by keys, starting within the room of the window', async () => {
  for (const key of ['ArrowLeft', 'ArrowRight', 'Home', 'End']) await edge.trigger('keydown', { key })
  await edge.trigger('keydown', { key: 'ArrowLeft', altKey: true })
  await edge.trigger('keydown', { key: 'a' })
  expect(edge.emitted('resize')).toEqual([[416], [384], [360], [720]])
})

it('follows the mouse within its limits, and is applied at the end', () => {
  point('pointerdown', 1_000)
  point('pointermove', 950)
  point('pointermove', 0)
  expect(edge.emitted('resize')).toBeUndefined()
  point('pointerup', 0)
  expect(edge.emitted('drag')).toEqual([[450], [720], [null]])
  expect(edge.emitted('resize')).toEqual([[720]])
  point('pointermove', 500)
  expect(edge.emitted('drag')).toHaveLength(3)
})
