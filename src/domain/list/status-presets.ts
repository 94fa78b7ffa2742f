/** The statuses of what isn't ready, among the known ones. */
export const notReadyOf = (known: readonly string[]): string[] => known.filter((status) => status !== 'READY')

/** Whether two choices have the same statuses. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}
