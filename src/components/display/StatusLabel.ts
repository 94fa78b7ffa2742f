import { type FunctionalComponent, h, type VNode } from 'vue'
import './status-label.css'
import { statusLook } from '../../format/deployment-status'
import { shownText } from '@contract/core/untrusted-text'

/**
 * A deployment's status: a dot, whose shape says as much as its colour, and a label. A function, because tables have
 * many.
 */
export function statusLabel(status: string): VNode {
  const { label, tone, shape } = statusLook(status)
  return h('span', { class: 'deployment-status', title: shownText(status) }, [
    h('span', { class: `deployment-status-dot is-${tone} is-${shape}`, 'aria-hidden': 'true' }),
    h('bdi', { class: 'deployment-status-label' }, shownText(label)),
  ])
}

/** The same as a component. */
const StatusLabel: FunctionalComponent<{ status: string }> = ({ status }) => statusLabel(status)

StatusLabel.props = { status: { type: String, required: true } }

export default StatusLabel
