import { writeJson } from './json'

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** What a typed number stands for: nothing, a number, or its own text while it cannot be read as one. */
export function numberOf(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  return number.test(trimmed) && Number.isFinite(value) ? value : text
}

/** What a cell shows for what was entered where a number is wanted. */
export function textOfNumber(entered: unknown): string {
  if (entered === undefined || entered === null) return ''
  return typeof entered === 'string' || typeof entered === 'number' ? String(entered) : writeJson(entered)
}
