/** An item of a menu. */
export interface MenuItem {
  key: string
  /** May contain text from a service or a person. */
  label: string
  /** The kind of choice: on or off (checkbox), or one of a group (radio). Without it, the item is an action. */
  kind?: 'checkbox' | 'radio'
  isChecked?: boolean
  isDisabled?: boolean
  /** More about it, such as why it is disabled. */
  hint?: string | null
  /** Whether it begins a new section of the menu. */
  isSeparated?: boolean
}

/** Where a menu opens, in pixels of the window. */
export interface MenuPosition {
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
export function placeMenu(
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
export function positionAt(button: Element): { x: number; y: number; above: number } {
  const { left, top, bottom } = button.getBoundingClientRect()
  return { x: left, y: bottom + 4, above: top - 4 }
}
