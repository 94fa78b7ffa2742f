import { isUnsettled } from '@contract/deployment-api/statuses'

/** A named choice of statuses. */
export interface StatusPreset {
  label: string
  /** Its statuses among the known ones. */
  of: (known: readonly string[]) => string[]
}

/**
 * What needs attention, and what is on its way to ready. What is being deleted isn't: nothing is rolled out there. A ready
 * deployment whose latest revision isn't active yet can't be chosen by its status.
 */
export const statusPresets: readonly StatusPreset[] = [
  { label: 'Not ready', of: (known) => known.filter((status) => status !== 'READY') },
  { label: 'Rolling out', of: (known) => known.filter(isUnsettled) },
]

/** Whether two choices have the same statuses. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}
