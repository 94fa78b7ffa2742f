import { readJson } from './json'
import { isJsonObject, type JsonObject } from './json-path'

/** A member of a free-form object, as a row of the form. */
export interface KeyValue {
  key: string
  value: unknown
}

/**
 * The rows of an object with free keys; null for anything else. An object can't have empty or duplicate keys, but
 * operators produce both while they type. Until the keys are valid, the draft has the rows themselves.
 */
export function rowsOf(entered: unknown): KeyValue[] | null {
  if (entered === undefined || entered === null) return []
  if (isJsonObject(entered)) return Object.entries(entered).map(([key, value]) => ({ key, value }))
  return areRows(entered) ? entered.map((row) => ({ ...row })) : null
}

/**
 * The draft's value for rows: undefined if there are none, an object, or the rows themselves while they can't be one.
 */
export function valueOfRows(rows: readonly KeyValue[]): JsonObject | KeyValue[] | undefined {
  if (rows.length === 0) return undefined
  const keys = new Set(rows.map(({ key }) => key))
  return keys.size < rows.length || keys.has('')
    ? rows.map((row) => ({ ...row }))
    : Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** Why rows can't be an object; null if they can, or if the value isn't rows. */
export function problemOfRows(entered: unknown): string | null {
  if (!areRows(entered)) return null
  const seen = new Set<string>()
  for (const { key } of entered) {
    if (key === '') return 'A key is missing.'
    if (seen.has(key)) return `The key "${key}" appears twice.`
    seen.add(key)
  }
  return null
}

function areRows(entered: unknown): entered is KeyValue[] {
  return (
    Array.isArray(entered) &&
    entered.length > 0 &&
    entered.every((row) => isJsonObject(row) && typeof row.key === 'string' && 'value' in row)
  )
}

/** The text of a row's value: a text unchanged, anything else as JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/**
 * The value of a row's text: a text, or parsed JSON if the value wasn't a text before. A number that would be written
 * differently, such as 1.10, is a text.
 */
export function valueOfText(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text
  const read = readJson(text)
  if (!read.ok || (typeof read.value === 'number' && String(read.value) !== text)) return text
  return read.value
}
