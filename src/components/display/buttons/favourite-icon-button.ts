import { h, type VNode } from 'vue'
import './icon-buttons.css'

/**
 * A star that makes a deployment a favourite. Not a component, because many rows have one. Tab skips it, because f does
 * the same from anywhere in the row.
 */
export function favouriteIconButton(
  label: string,
  isFavourite: boolean,
  more: Record<string, unknown>,
): VNode {
  return h('button', {
    class: 'favourite-icon',
    type: 'button',
    tabindex: -1,
    'aria-pressed': isFavourite,
    'aria-keyshortcuts': 'f',
    'aria-label': label,
    title: isFavourite ? 'Remove from favourites (f)' : 'Add to favourites (f)',
    ...more,
  })
}
