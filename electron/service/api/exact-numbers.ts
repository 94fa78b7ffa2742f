/**
 * Finds the first number in a JSON text that a double can't hold exactly, such as 9007199254740993 or 1e400; null if
 * there is none. `JSON.parse` rounds numbers silently, so the text itself is searched.
 */
export function inexactNumber(text: string): string | null {
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at)
    if (character === '"') at = endOfString(text, at)
    else if (!startsNumber.test(character)) at += 1
    else {
      numberHere.lastIndex = at
      const number = numberHere.exec(text)?.[0]
      if (number !== undefined && !isExact(number)) return number
      at += number?.length ?? 1
    }
  }
  return null
}

const startsNumber = /[-\d]/
const numberHere = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y

/** The index after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '"') return at + 1
    if (character === '\\') at += 1
  }
  return text.length
}

/** Characters of a number. The largest double has 309 digits, so a longer number is padded or not exact. */
const longest = 400

/** A double keeps any 15 digits. */
const surelyExact = /^[-.\d]{1,15}$/

/** Whether a number stays the same when it is read as a double and written again. */
function isExact(number: string): boolean {
  if (surelyExact.test(number)) return true
  if (number.length > longest) return false
  const read = Number(number)
  return Number.isFinite(read) && canonical(String(read)) === canonical(number)
}

/** A decimal number in one form: its sign, its digits without zeros at the ends, its exponent. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  if (length === 0) return '0'
  return `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/
