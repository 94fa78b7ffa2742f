import { writeJson } from './json'

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
  if (entered === undefined || entered === null) return ''
  return typeof entered === 'string' || typeof entered === 'number' ? String(entered) : writeJson(entered)
}
