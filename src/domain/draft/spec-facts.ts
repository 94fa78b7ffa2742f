import type { ResourceSpec } from '@contract'
import { workloads } from './resource-spec-labels'

/** A line of the review: what it is about, and what the request has of it. */
interface Fact {
  term: string
  text: string
}

/** The names of the items of a list; of one without a name, its number. Anything but a list has none. */
function namesOf(list: unknown): string {
  if (!Array.isArray(list)) return ''
  return (list as { name?: unknown }[])
    .map((item, index) => (typeof item.name === 'string' && item.name !== '' ? item.name : String(index + 1)))
    .join(', ')
}

/** What a request asks for in its resource spec, in lines; those of which it has nothing have no text. */
export function specFacts(spec: ResourceSpec | null | undefined): Fact[] {
  const numbers = (spec ?? {}) as Record<string, unknown>
  const resources = workloads.flatMap(({ name, numbers: all }) => {
    const given = all.filter(({ member }) => typeof numbers[member] === 'number')
    if (given.length === 0) return []
    const labelled = given.map(({ member, label, unit }) =>
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
