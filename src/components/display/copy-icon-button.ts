import { h, type VNode } from 'vue'
import './copy-icon-button.css'

/** How a copying went: for a moment after it. */
export type CopyState = 'idle' | 'copied' | 'failed'

/** A small button that copies, without a component, since rows that have one are many. `more` are further attributes. */
export function copyIconButton(label: string, state: CopyState, more: Record<string, unknown> = {}): VNode {
  const { class: further = '', ...others } = more
  return h('button', {
    class: `copy-icon is-${state} ${String(further)}`,
    type: 'button',
    'aria-label': label,
    title: state === 'copied' ? 'Copied' : label,
    ...others,
  })
}
