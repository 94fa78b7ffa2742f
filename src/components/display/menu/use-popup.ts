import { inject, nextTick, onBeforeUnmount, onMounted, ref, type Ref } from 'vue'
import { popupTarget } from '@/composables/popup-target'
import { type MenuPosition, placeMenu } from './menu-item'

/** Where a menu opens, and what it belongs to. */
export interface PopupProps {
  at: MenuPosition
  /** The bottom edge of a menu that opens upwards. */
  above?: number | null
  /** What takes the focus once the menu is closed. */
  returnTo: HTMLElement | null
  /** The button that opened it. The menu ignores presses on it. */
  opener?: HTMLElement | null
}

/**
 * Places a menu in the window, and closes it on a press or a wheel outside it, and when the window's size changes.
 *
 * @param root the menu's element, which is positioned
 * @param close has the menu removed; the focus stays where it is
 */
export function usePopup(props: PopupProps, root: Readonly<Ref<HTMLElement | null>>, close: () => void) {
  const target = inject(popupTarget, ref(null))
  const place = ref(props.at)

  /** Whether an element is part of the menu, or of the button that opened it. */
  const isInside = (element: EventTarget | null): boolean =>
    element instanceof Node && Boolean(root.value?.contains(element) || props.opener?.contains(element))

  function onOutside(event: Event): void {
    if (!isInside(event.target)) close()
  }

  async function position(): Promise<void> {
    // The size is known once the menu is in the page.
    await nextTick()
    if (!root.value) return
    const { offsetWidth: width, offsetHeight: height } = root.value
    const room = { width: innerWidth, height: innerHeight }
    place.value = placeMenu(props.at, props.above ?? props.at.y, { width, height }, room)
  }

  onMounted(() => {
    void position()
    window.addEventListener('pointerdown', onOutside, true)
    window.addEventListener('wheel', onOutside, { capture: true, passive: true })
    window.addEventListener('resize', close)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('pointerdown', onOutside, true)
    window.removeEventListener('wheel', onOutside, true)
    window.removeEventListener('resize', close)
  })

  return {
    /** The element to teleport the menu to; null for the page's body. */
    target,
    place,
    isInside,
    returnFocus: () => props.returnTo?.focus({ preventScroll: true }),
  }
}
