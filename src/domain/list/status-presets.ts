import { statusesUnderWay } from '@contract/deployment-api/statuses'

/** A named choice of statuses. */
export interface StatusPreset {
  label: string
  /** Its statuses among the known ones. */
  of: (known: readonly string[]) => string[]
}

/** What needs attention, and what soon changes without a request. */
export const statusPresets: readonly StatusPreset[] = [
  { label: 'Not ready', of: (known) => known.filter((status) => status !== 'READY') },
  { label: 'Rolling out', of: (known) => known.filter((status) => statusesUnderWay.includes(status)) },
]

/** Whether two choices have the same statuses. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}
