import { isJsonObject, type JsonObject, type Path } from '@/ui/format/json-path'
import { type ReadText, readJson, readYaml, writeJson } from './text'
import { wantedAt } from './wanted'

/** The type of a free-form member. */
export type Expected = 'object' | 'list'

/**
 * Reads a text as JSON or YAML (1.2, one document). A text that begins like JSON is read as JSON only, because YAML
 * would read an unfinished `{ "team": }` as a null.
 *
 * @param at the path of the text's value in the request
 */
export function readFreeText(text: string, at: Path): ReadText {
  const read = /^\s*[[{]/.test(text) ? readJson : readYaml
  return read(text, (path) => wantedAt([...at, ...path]))
}

/** The texts from which the drafts' values were read, so that YAML and its comments reappear as typed. */
const typed = new WeakMap<object, string>()

/**
 * The value of a typed text; the text itself if it can't be read or has another type. Null means that nothing is set.
 */
export function meaningOf(text: string, at: Path, expected: Expected): unknown {
  const read = readFreeText(text, at)
  if (!read.ok) return text
  const { value } = read
  if (value === null) return null
  if (!(expected === 'list' ? Array.isArray(value) : isJsonObject(value))) return text
  typed.set(value as object, text)
  return value
}

/** The text of a value: as typed if that is known, else as JSON. Doesn't work with Vue's proxies. */
export function textOf(entered: unknown): string {
  if (entered === undefined) return ''
  if (typeof entered === 'string') return entered
  return typed.get(entered as object) ?? writeJson(entered)
}

/** A member of a free-form object, as a row of the form. */
export interface KeyValue {
  key: string
  value: unknown
}

/**
 * The rows of an object with free keys. An object can't have empty or duplicate keys, but operators produce both while
 * they type. Until the keys are valid, the draft has the rows themselves.
 */
export function rowsOf(entered: unknown): KeyValue[] {
  if (isJsonObject(entered)) return Object.entries(entered).map(([key, value]) => ({ key, value }))
  return areRows(entered) ? entered.map((row) => ({ ...row })) : []
}

/**
 * The draft's value for rows: undefined if there are none, an object, or the rows themselves while they can't be one.
 */
export function valueOfRows(rows: readonly KeyValue[]): JsonObject | KeyValue[] | undefined {
  if (rows.length === 0) return undefined
  return problemOfRows(rows) !== null
    ? rows.map((row) => ({ ...row }))
    : Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** What is wrong with the key of a row; null if nothing is. */
export function keyProblem(rows: readonly KeyValue[], index: number): string | null {
  const { key } = rows[index]!
  if (key === '') return 'Enter a key.'
  return rows.findIndex((row) => row.key === key) < index ? `Duplicate key "${key}".` : null
}

/** Why rows can't be an object; null if they can, or if the value isn't rows. */
export const problemOfRows = (entered: unknown): string | null =>
  areRows(entered) ? (entered.map((_row, index) => keyProblem(entered, index)).find(Boolean) ?? null) : null

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

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** The value of a number field: undefined if it is empty, a number, or the text itself while it isn't a number. */
export function numberOf(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  return number.test(trimmed) && Number.isFinite(value) ? value : text
}

/** The text of a number field. */
export function textOfNumber(entered: unknown): string {
  return typeof entered === 'string' || typeof entered === 'number' ? String(entered) : ''
}
