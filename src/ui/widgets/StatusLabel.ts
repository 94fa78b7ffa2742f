import { type FunctionalComponent, h, type VNode } from 'vue'
import { statusLook } from '../format/status'
import { shownText } from '@contract/core/text'

/**
 * A deployment's status: a label, and a dot whose shape says as much as its colour. A function, because tables have
 * many of them.
 */
export function statusLabel(status: string): VNode {
  const { label, tone, shape } = statusLook(status)
  return h(
    'span',
    { class: 'deployment-status inline-flex items-center gap-2 max-w-full', title: shownText(status) },
    [
      h('span', { class: `dot is-${tone} is-${shape}`, 'aria-hidden': 'true' }),
      h('bdi', { class: 'truncate' }, shownText(label)),
    ],
  )
}

/** `statusLabel` as a component. */
const StatusLabel: FunctionalComponent<{ status: string }> = ({ status }) => statusLabel(status)

StatusLabel.props = { status: { type: String, required: true } }

export default StatusLabel
