import { type DeploymentSection, deploymentSections } from '@contract/core/app-link'
import { shownText } from '@contract/core/text'
import { type FunctionalComponent, h, type VNode, type VNodeChild } from 'vue'
import { type RevisionLabel, statusLook } from '../format/deployment'
import { RouterLink } from 'vue-router'

/** The path of a deployment's screen, with the section to show. */
export function deploymentPath(id: string, section: DeploymentSection | null = null): string {
  const path = `/deployments/${encodeURIComponent(id)}`
  return section === null ? path : `${path}?section=${section}`
}

/** The section that a URL names; the first one if it names none. */
export const sectionOf = (named: unknown): DeploymentSection =>
  deploymentSections.find((id) => id === named) ?? 'overview'

/** The query that names a section in a URL. The first one isn't named. */
export const sectionQuery = (id: DeploymentSection): { section?: DeploymentSection } =>
  id === 'overview' ? {} : { section: id }

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
export const StatusLabel: FunctionalComponent<{ status: string }> = ({ status }) => statusLabel(status)

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

/** A link to a deployment's screen. */
export const DeploymentLink: FunctionalComponent<{ id: string }> = ({ id }, { slots }) =>
  h(RouterLink, { to: deploymentPath(id) }, slots)
