/** The statuses of what isn't ready, among the known ones. */
export const notReadyOf = (known: readonly string[]): string[] => known.filter((status) => status !== 'READY')

/** Whether two choices have the same statuses. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}

/** The known statuses without some of them. */
export const statusesBut = (left: readonly string[], known: readonly string[]): string[] =>
  known.filter((status) => !left.includes(status))

/**
 * The statuses that a choice leaves out, if it is made of most of the known ones: then it says "not these", and a
 * status that turns up later belongs to it too. Null for any other choice.
 */
export function leftOut(chosen: readonly string[], known: readonly string[]): string[] | null {
  const others = statusesBut(chosen, known)
  return others.length > 0 && others.length < chosen.length ? others : null
}
