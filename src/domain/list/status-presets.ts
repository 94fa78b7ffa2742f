import { statusesUnderWay } from '@contract/deployment-api/statuses'

/** A choice of statuses under a name. */
export interface StatusPreset {
  label: string
  /** Its statuses among the known ones. */
  of: (known: readonly string[]) => string[]
}

/** Everything that needs a look, and what changes by itself soon. */
export const statusPresets: readonly StatusPreset[] = [
  { label: 'Not ready', of: (known) => known.filter((status) => status !== 'READY') },
  { label: 'Rolling out', of: (known) => known.filter((status) => statusesUnderWay.includes(status)) },
]

/** Whether two choices have the same statuses. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}
