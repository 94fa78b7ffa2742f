import type { Environment } from '@contract'
import { wordSearch } from '@/ui/format/names'

/** A list of at least this many environments has a search field. */
export const manyEnvironments = 12

/** The environments other than the current one in which something can be created. */
export const creatableElsewhere = (
  environments: readonly Environment[],
  currentId: string | null,
): readonly Environment[] =>
  environments.filter(({ id, profile }) => id !== currentId && profile !== null && !profile.readOnly)

/** The environments whose name and base URL contain every word of a text. */
export function findEnvironments(environments: readonly Environment[], text: string): readonly Environment[] {
  const matches = wordSearch(text)
  return environments.filter(({ name, profile }) => matches(`${name}\n${profile?.baseUrl ?? ''}`))
}
