import type { ResourceSpec } from '@contract'
import { workloads } from '@domain/labels/resource-spec-labels'

/** A line of the review: its subject, and what the request has of it. */
interface Fact {
  term: string
  text: string
}

/** The names of a list's items, or the number of an item without a name. Empty for anything but a list. */
function namesOf(list: unknown): string {
  if (!Array.isArray(list)) return ''
  return (list as { name?: unknown }[])
    .map((item, index) => (typeof item.name === 'string' && item.name !== '' ? item.name : String(index + 1)))
    .join(', ')
}

/** What a request asks for in its resource spec, as lines. A line has no text if the request has nothing of it. */
export function specFacts(spec: ResourceSpec | null | undefined): Fact[] {
  const numbers = (spec ?? {}) as Record<string, unknown>
  const resources = workloads.flatMap(({ name, numbers: all }) => {
    const present = all.filter(({ member }) => typeof numbers[member] === 'number')
    if (present.length === 0) return []
    const labelled = present.map(({ member, label, unit }) =>
      [label, String(numbers[member]), unit].filter((part) => part !== null).join(' '),
    )
    return [`${name}: ${labelled.join(', ')}`]
  })
  return [
    { term: 'Resources', text: resources.join('; ') },
    { term: 'Volumes', text: namesOf(spec?.volumes) },
    { term: 'Init containers', text: namesOf(spec?.init_containers) },
    { term: 'Sidecars', text: namesOf(spec?.sidecars) },
  ]
}
