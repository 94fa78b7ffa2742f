import { h, type VNode, type VNodeChild } from 'vue'
import { shownText } from '@contract/core/text'
import type { RevisionLabel } from '../format/revision'

/** One of the operator's own labels. A function, because tables have many of them. `more` follows the text. */
export function ownLabel(label: string, more: VNodeChild = null): VNode {
  return h('span', { class: 'own-label', title: shownText(label) }, [
    h('bdi', { class: 'truncate' }, shownText(label)),
    more,
  ])
}

/** What is to be said of a roll-out; null for nothing. */
export const rolloutChip = (rollout: RevisionLabel['rollout'], title: string): VNode | null =>
  rollout &&
  h(
    'span',
    {
      class: `word-chip ${rollout === 'failed' ? 'bg-danger-soft text-danger-text' : 'bg-warning-soft text-warning-text'}`,
      title: shownText(title),
    },
    rollout,
  )
