import type { MemberLabels } from '@domain/labels/resource-spec-labels'

/** A field of a deployment, ready to show. */
export interface Field {
  label: string
  value: unknown
  /** Shown in a fixed-width font, as identifiers and paths are. */
  mono?: boolean
  /** Cut where it would take a second line; of a time, only its age. Its title has all of it. */
  oneLine?: boolean
  /** A time (ISO 8601). */
  time?: boolean
  /** An address, which may be opened in a browser. */
  link?: boolean
  /** What the operator calls the value, shown before it. */
  nickname?: string | null
  /** How the members of its value are labelled; without it, by their names. */
  members?: MemberLabels | undefined
  /** The accessible name of the button that copies the value; without it there is no button. */
  copy?: string
}

/** The members of an object that are not known: those that the interface does not define. */
export function otherMembers(object: Record<string, unknown>, known: readonly string[]): [string, unknown][] {
  return Object.entries(object).filter(([name]) => !known.includes(name))
}

/** Whether there is nothing to show: null, undefined, an empty text, list or object. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The fields that have something to show. */
export const filled = (fields: readonly Field[]): Field[] => fields.filter(({ value }) => !isBlank(value))

/** The fields that have nothing to show. */
export const empty = (fields: readonly Field[]): Field[] => fields.filter(({ value }) => isBlank(value))
