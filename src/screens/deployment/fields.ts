/** A field of a deployment as it is shown. */
export interface Field {
  label: string
  value: unknown
  /** Identifiers, paths and the like: in a fixed-width face. */
  mono?: boolean
  /** A time (ISO 8601). */
  time?: boolean
  /** Accessible name of a button that copies the value; without it there is none. */
  copy?: string
}

/** The members of an object that are not among the known ones: what a service answers beyond the interface. */
export function otherMembers(object: Record<string, unknown>, known: readonly string[]): [string, unknown][] {
  return Object.entries(object).filter(([name]) => !known.includes(name))
}

/** Whether there is nothing to show: null, undefined, an empty text, list or object. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
