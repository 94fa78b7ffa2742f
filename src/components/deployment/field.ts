import type { MemberLabels } from '@domain/labels/resource-spec-labels'

/** A field of a deployment, ready to show. */
export interface Field {
  label: string
  value: unknown
  /** Shown in a fixed-width font, as identifiers and paths are. */
  mono?: boolean
  /** On one line: a text is cut, and a time shows only its age. Its title has the full value. */
  oneLine?: boolean
  /** A time (ISO 8601). */
  time?: boolean
  /** A URL, which may be opened in a browser. */
  link?: boolean
  /** The operator's nickname for the value, shown before it. */
  nickname?: string | null
  /** The labels of its value's members; without them, members are labelled with their names. */
  members?: MemberLabels | undefined
  /** The accessible name of the button that copies the value; without it there is no button. */
  copy?: string
}

/** The members of an object that the interface doesn't define. */
export function otherMembers(object: Record<string, unknown>, known: readonly string[]): [string, unknown][] {
  return Object.entries(object).filter(([name]) => !known.includes(name))
}

/** Whether there is nothing to show: null, undefined, an empty text, list or object. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The fields that have a value. */
export const filled = (fields: readonly Field[]): Field[] => fields.filter(({ value }) => !isBlank(value))

/** The fields without a value. */
export const empty = (fields: readonly Field[]): Field[] => fields.filter(({ value }) => isBlank(value))
