/**
 * JSON whose numbers keep their digits. JavaScript rounds 12345678901234567891 and reads 1e400 as infinite, so such a
 * number is parsed as a text: its digits behind a mark, a character that no text has. `exactly` writes it as a number again.
 */
const mark = '\uFDD0'

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/
const stringOrNumber = new RegExp(String.raw`"(?:[^"\\]|\\.)*"|${number.source}`, 'g')
const marked = new RegExp(`"${mark}(${number.source})"`, 'g')

/** Whether a text may have a number that JavaScript would change. Most have none. */
const mayBeChanged = /[:[,\s]-?(?:\d[\d.]{15}|[\d.]+[eE])/

/** Parses JSON. A number that JavaScript would change becomes a marked text. Throws for anything but JSON. */
export function parseExact(text: string): unknown {
  if (!mayBeChanged.test(` ${text}`)) return JSON.parse(text) as unknown
  // Marked, half a JSON text might become whole.
  JSON.parse(text)
  const kept = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') || isExact(token) ? token : `"${mark}${token}"`,
  )
  return JSON.parse(kept) as unknown
}

/** Whether JavaScript keeps the value of a number, as JSON spells it. */
export const isExact = (source: string): boolean => normal(source) === normal(String(Number(source)))

/** A number's digits and its power of ten, without zeros at either end. */
function normal(source: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return whole === '' ? source : '0'
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`
}

/**
 * A parsed value as JSON text, each number with the digits that it had; and as a value for people and forms, where a
 * number that JavaScript would change is a text with its digits.
 */
export function exactly<T>(value: T, indent?: number): { text: string; value: T } {
  const text = JSON.stringify(value, null, indent)
  if (!text?.includes(mark)) return { text, value }
  return { text: text.replace(marked, '$1'), value: JSON.parse(text.replaceAll(mark, '')) as T }
}

/** Whether a text stands for a number. */
export const isMarked = (text: string): boolean => text.startsWith(mark)
