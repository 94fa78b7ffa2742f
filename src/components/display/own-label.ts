import { h, type VNode, type VNodeChild } from 'vue'
import './own-label.css'
import { shownText } from '@contract/core/untrusted-text'

/** A label of the operator's own. A function, because tables have many. `more` follows the text. */
export function ownLabel(label: string, more: VNodeChild = null): VNode {
  return h('span', { class: 'own-label', title: shownText(label) }, [h('bdi', shownText(label)), more])
}
