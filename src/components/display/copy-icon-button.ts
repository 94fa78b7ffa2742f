import { h, type VNode } from 'vue'
import './icon-buttons.css'

/** The result of copying, shown for a moment. */
export type CopyState = 'idle' | 'copied' | 'failed'

/** A small copy button. Not a component, because many rows have one. `more` has further attributes. */
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
