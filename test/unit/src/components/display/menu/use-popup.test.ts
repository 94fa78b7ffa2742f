import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'
import { usePopup } from '@/components/display/menu/use-popup'

let opener: HTMLButtonElement
let close: ReturnType<typeof vi.fn<() => void>>
let wrapper: ReturnType<typeof mount>

beforeEach(async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(200)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(100)
  document.body.innerHTML = '<button>Opener</button>'
  opener = document.querySelector('button')!
  close = vi.fn<() => void>()
  const Popup = defineComponent(() => {
    const root = ref<HTMLElement | null>(null)
    const at = { x: innerWidth, y: innerHeight - 20 }
    const { place, returnFocus } = usePopup({ at, above: 300, returnTo: opener, opener }, root, close)
    return () =>
      h('div', { ref: root, onClick: returnFocus, tabindex: -1 }, `at ${place.value.x}, ${place.value.y}`)
  })
  wrapper = mount(Popup, { attachTo: document.body })
  await nextTick()
  await nextTick()
})
afterEach(() => {
  wrapper.unmount()
  vi.restoreAllMocks()
})

it('moves into the window, above its button if there is no room below', () => {
  expect(wrapper.text()).toBe(`at ${innerWidth - 208}, 200`)
})

it.each(['pointerdown', 'wheel'])('closes on a %s outside it and its button', (type) => {
  const inside = [wrapper.element as Element, opener]
  for (const element of inside) element.dispatchEvent(new Event(type, { bubbles: true }))
  expect(close).not.toHaveBeenCalled()
  document.body.dispatchEvent(new Event(type, { bubbles: true }))
  expect(close).toHaveBeenCalledOnce()
})

it("closes when the window's size changes, and listens no longer once it is gone", () => {
  window.dispatchEvent(new Event('resize'))
  expect(close).toHaveBeenCalledOnce()
  wrapper.unmount()
  window.dispatchEvent(new Event('resize'))
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }))
  expect(close).toHaveBeenCalledOnce()
})

it.each(['wheel', 'resize'])('gives the focus back, if it is in the menu, on a %s', (type) => {
  ;(wrapper.element as HTMLElement).focus()
  ;(type === 'resize' ? window : document.body).dispatchEvent(new Event(type, { bubbles: true }))
  expect(document.activeElement).toBe(opener)
})

it('gives the focus back', async () => {
  await wrapper.trigger('click')
  expect(document.activeElement).toBe(opener)
})
