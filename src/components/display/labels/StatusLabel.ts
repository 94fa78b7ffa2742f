import { type FunctionalComponent, h, type VNode } from 'vue'
import './status-label.css'
import { statusLook } from '../../../format/deployment/status'
import { shownText } from '@contract/core/text'

/**
 * A deployment's status: a label, and a dot whose shape says as much as its colour. A function, because tables have
 * many of them.
 */
export function statusLabel(status: string): VNode {
  const { label, tone, shape } = statusLook(status)
  return h('span', { class: 'deployment-status', title: shownText(status) }, [
    h('span', { class: `deployment-status-dot is-${tone} is-${shape}`, 'aria-hidden': 'true' }),
    h('bdi', { class: 'deployment-status-label' }, shownText(label)),
  ])
}

/** `statusLabel` as a component. */
const StatusLabel: FunctionalComponent<{ status: string }> = ({ status }) => statusLabel(status)

StatusLabel.props = { status: { type: String, required: true } }

export default StatusLabel
