import { trimBlanks } from '@contract/core/text'
import type { Path } from '../text/json-path'
import { wantedAt } from '../text/wanted'

/** Texts that may begin or end with a blank on purpose, by the member that they are in. */
const anyText = ['value', 'values', 'command', 'args', 'annotations', 'volumeAttributes']

function mayHaveBlanks(path: Path): boolean {
  const names = path.filter((part) => typeof part === 'string')
  return wantedAt(path) !== 'text' || names.slice(-2).some((name) => anyText.includes(name))
}

/** The text of a member, without blanks at its ends if it can't be meant to have any. */
export function textAt(path: Path, text: string): string {
  const trimmed = trimBlanks(text)
  return trimmed === text || mayHaveBlanks(path) ? text : trimmed
}

/** A request, or a part of it at `path`, without blanks at the ends of texts and names that can't be meant to have any. */
export function withoutBlanks<T>(value: T, path: Path = []): T {
  if (typeof value === 'string') return textAt(path, value) as T
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withoutBlanks(item, [...path, index])) as T
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    trimBlanks(name),
    withoutBlanks(member, [...path, name]),
  ])
  return Object.fromEntries(members) as T
}

/** The texts of a request that begin or end with a blank. Line breaks at the end of several lines don't count. */
export function withBlanks(value: unknown, path: Path = []): { path: Path; at: 'Begins' | 'Ends' }[] {
  if (typeof value === 'string') {
    const text = value.includes('\n', 1) && path[0] !== 'secrets' ? value.replace(/\n+$/, '') : value
    const trimmed = trimBlanks(text)
    if (trimmed === text || trimmed === '') return []
    return [{ path, at: text.endsWith(trimmed) ? 'Begins' : 'Ends' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    withBlanks(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}
