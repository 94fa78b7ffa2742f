import { h, type VNode, type VNodeChild } from 'vue'
import { shownText } from '@contract/core/text'

/** One of the operator's own labels. A function, because tables have many of them. `more` follows the text. */
export function ownLabel(label: string, more: VNodeChild = null): VNode {
  return h('span', { class: 'own-label', title: shownText(label) }, [
    h('bdi', { class: 'truncate' }, shownText(label)),
    more,
  ])
}
