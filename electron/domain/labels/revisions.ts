/** How many characters of a revision's identifier are shown. */
const length = 8

/** A revision's identifier, shortened. */
export const shortRevision = (id: string): string => id.slice(0, length)

/**
 * The identifiers of two revisions, shortened so that they differ if they do: to their beginning, or to the part in
 * which they first differ, after "…". Null stays null.
 */
export function shortRevisions(one: string | null, other: string | null): [string | null, string | null] {
  if (one === null || other === null || one === other || shortRevision(one) !== shortRevision(other)) {
    return [shortOrNull(one), shortOrNull(other)]
  }
  const longest = Math.max(one.length, other.length)
  let first = length
  while (one[first] === other[first]) first += 1
  const from = Math.min(first, longest - length)
  return [`…${one.slice(from, from + length)}`, `…${other.slice(from, from + length)}`]
}

const shortOrNull = (id: string | null): string | null => (id === null ? null : shortRevision(id))
