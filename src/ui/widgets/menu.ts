import { useEventListener } from '@vueuse/core'
import { inject, nextTick, onMounted, type Ref, ref, shallowRef } from 'vue'
import { popupTarget } from '@/app/window'

/** An item of a menu. */
export interface MenuItem {
  key: string
  /** May contain text from a service or a person. */
  label: string
  /** The kind of choice: on or off (checkbox), or one of a group (radio). Without it, the item is an action. */
  kind?: 'checkbox' | 'radio'
  isChecked?: boolean
  isDisabled?: boolean
  /** Whether it is what is shown now. The menu opens at it. */
  isCurrent?: boolean
  /** More about it, such as why it is disabled. */
  hint?: string | null
  /** Whether it begins a new section of the menu. */
  isSeparated?: boolean
}

/** Where a menu opens, in pixels of the window. */
interface MenuPosition {
  x: number
  y: number
}

/** The gap between a menu and the window's edge, in pixels. */
const edge = 8

/**
 * The place at which a menu fits in the window: below and right of its position, otherwise above it and as far left as
 * needed.
 *
 * @param above the bottom edge of a menu that opens upwards: the top of the button that opened it, or the position
 * itself
 */
function placeMenu(
  { x, y }: MenuPosition,
  above: number,
  size: { width: number; height: number },
  room: { width: number; height: number },
): MenuPosition {
  const fitsBelow = y + size.height <= room.height - edge
  return {
    x: Math.max(edge, Math.min(x, room.width - edge - size.width)),
    y: fitsBelow ? y : Math.max(edge, Math.min(above, room.height - edge) - size.height),
  }
}

/** The position of a menu that a button opens: below it, or above where there is no room below. */
function positionAt(button: Element): Pick<PopupProps, 'at' | 'above'> {
  const { left, top, bottom } = button.getBoundingClientRect()
  return { at: { x: left, y: bottom + 4 }, above: top - 4 }
}

/**
 * The item to which the arrow keys, Home and End move from item `current` of `count`, wrapping around; null for other
 * keys.
 */
export function itemByKey(key: string, current: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return (current + 1) % count
    case 'ArrowUp':
      return (current + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/**
 * The item to which typing moves, or null. Further letters narrow the search. The same letter again moves to the next
 * item that begins with it. Items that can't be chosen have no label.
 *
 * @param current -1 if there is none
 */
export function itemByTyping(
  labels: readonly (string | null)[],
  current: number,
  typed: string,
): number | null {
  const text = typed.toLocaleLowerCase()
  const repeated = [...text].every((letter) => letter === text[0])
  const prefix = repeated ? text.slice(0, 1) : text
  const first = repeated ? current + 1 : Math.max(0, current)
  for (let step = 0; step < labels.length; step++) {
    const index = (first + step) % labels.length
    if (labels[index]?.toLocaleLowerCase().startsWith(prefix)) return index
  }
  return null
}

/** The item for a digit (1 is the first), or null. */
export function itemByDigit(key: string, count: number): number | null {
  if (!/^[1-9]$/.test(key)) return null
  const index = Number(key) - 1
  return index < count ? index : null
}

/** A pause longer than this begins a new text. */
const pauseMs = 600

/** Joins letters that follow each other quickly into the text that an item is found by. Times are those of events. */
export function createTypeAhead() {
  let text = ''
  let ends = -Infinity
  const isTyping = (now: number): boolean => now <= ends
  return {
    /** Whether a key at this time continues the text, so that a space or a digit is part of it. */
    isTyping,
    /** Adds a letter. Returns the text so far. */
    add(letter: string, now: number): string {
      text = isTyping(now) ? text + letter : letter
      ends = now + pauseMs
      return text
    },
    /** The next letter begins a new text. */
    end(): void {
      ends = -Infinity
    },
  }
}

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

/** A menu that a button opens and closes. `popup` is null while it is closed. */
export function useButtonMenu(button: () => HTMLElement | null) {
  const popup = shallowRef<PopupProps | null>(null)

  function open(): void {
    const opener = button()
    popup.value = opener && { ...positionAt(opener), returnTo: opener, opener }
  }
  const close = (): void => void (popup.value = null)

  return { popup, open, close, toggle: (): void => (popup.value ? close() : open()) }
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

  onMounted(position)
  useEventListener('pointerdown', onPress, { capture: true })
  useEventListener('wheel', onWheel, { capture: true, passive: true })
  useEventListener('resize', leave)

  return {
    /** The element to teleport the menu to; null for the page's body. */
    target,
    place,
    isInside,
    returnFocus,
  }
}
