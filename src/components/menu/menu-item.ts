/** An item of a menu. */
export interface MenuItem {
  key: string
  /** May have texts of a service or a person. */
  label: string
  /** What the item chooses: one of several things by itself, or one of a group. Without it, it does something. */
  kind?: 'checkbox' | 'radio'
  isChecked?: boolean
  isDisabled?: boolean
  /** Whether it begins another part of the menu. */
  isSeparated?: boolean
}

/** Where a menu opens, in pixels of the window. */
export interface MenuPosition {
  x: number
  y: number
}

/** The room between a menu and the window's edge, in pixels. */
const edge = 8

/**
 * Where a menu is whole in the window: below and right of its position, else above it and as far left as needed.
 *
 * @param above where it ends if it opens upwards: the top of the button that opened it, or the position itself
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
