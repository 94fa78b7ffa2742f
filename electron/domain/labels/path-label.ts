import { isLabelled, listenerLabels, memberLabels } from './member-labels'
import {
  itemLabel,
  type MemberLabels,
  numberLabels,
  resourceSpecLabel,
  specMembers,
} from './resource-spec-labels'

/** The members that have labels inside, by their paths, and how those are called. */
const outer: [path: string, label: string, inside: MemberLabels][] = [
  ['source_config.resource_spec', resourceSpecLabel, specMembers([])],
  ['source_config.listener_config', memberLabels['source_config.listener_config'], listenerLabels],
]

/**
 * The label of a changed member, as comparisons call it: "Sidecar proxy, Image" for
 * `source_config.resource_spec.sidecars[proxy].image`. A path that the interface doesn't name stays as it is.
 */
export function pathLabel(path: string): string {
  if (isLabelled(path)) return memberLabels[path]
  for (const [start, label, inside] of outer) {
    if (path === start) return label
    if (!path.startsWith(`${start}.`)) continue
    const rest = path.slice(start.length + 1)
    const number = numberLabels.get(rest)
    if (number !== undefined) return number
    const labels = labelsOf(rest, inside)
    return (start === 'source_config.resource_spec' ? labels : [label, ...labels]).join(', ')
  }
  return path
}

/** A member's name, and the names of the items that its list is entered by: `env[LOG_LEVEL].value`. */
const memberPart = /^([^.[]*)((?:\[.*?\](?=[.[]|$))*)\.?/s
const itemPart = /\[(.*?)\](?=\[|$)/gs

function labelsOf(path: string, inside: MemberLabels | undefined): string[] {
  if (path === '') return []
  const [whole, name, items] = memberPart.exec(path) ?? []
  // People and Kubernetes chose the names in here, which may have any character.
  if (!inside || !whole || name === undefined) return [path]
  const { label, members } = inside(name)
  const rest = path.slice(whole.length)
  if (!items) return [label, ...labelsOf(rest, members)]
  const labels = [...items.matchAll(itemPart)].map(([, item]) => `${itemLabel(name)} ${item}`)
  // A variable's value is the variable, as comparisons have it.
  return name === 'env' && rest === 'value' ? labels : [...labels, ...labelsOf(rest, members)]
}
