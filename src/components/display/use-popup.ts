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
 * @param close has the menu removed
 */
export function usePopup(props: PopupProps, root: Readonly<Ref<HTMLElement | null>>, close: () => void) {
  const target = inject(popupTarget, ref(null))
  const place = ref(props.at)

  /** Whether an element is part of the menu, or of the button that opened it. */
  const isInside = (element: EventTarget | null): boolean =>
    element instanceof Node && Boolean(root.value?.contains(element) || props.opener?.contains(element))

  const returnFocus = (): void => props.returnTo?.focus({ preventScroll: true })

  /** Closes the menu. A focus in it, which would be lost, returns. */
  function leave(): void {
    if (root.value?.contains(document.activeElement)) returnFocus()
    close()
  }

  /** The press itself moves the focus. */
  function onPress(event: Event): void {
    if (!isInside(event.target)) close()
  }

  function onWheel(event: Event): void {
    if (!isInside(event.target)) leave()
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
    window.addEventListener('pointerdown', onPress, true)
    window.addEventListener('wheel', onWheel, { capture: true, passive: true })
    window.addEventListener('resize', leave)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('pointerdown', onPress, true)
    window.removeEventListener('wheel', onWheel, true)
    window.removeEventListener('resize', leave)
  })

  return {
    /** The element to teleport the menu to; null for the page's body. */
    target,
    place,
    isInside,
    returnFocus,
  }
}
