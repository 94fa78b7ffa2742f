/** Far deeper than anything in the interface, and far from what the stack bears that has to write it again. */
const deepest = 1_000

/** Whether a JSON text is nested more deeply than anything that is read: what works through it would overflow. */
export function isTooDeep(json: string): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index += 1) {
    const sign = json.charCodeAt(index)
    if (sign === quote) inString = !inString
    else if (inString) {
      if (sign === backslash) index += 1
    } else if (sign === openBrace || sign === openBracket) {
      depth += 1
      if (depth > deepest) return true
    } else if (sign === closeBrace || sign === closeBracket) depth -= 1
  }
  return false
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...'"\\{}[]'].map((sign) =>
  sign.charCodeAt(0),
)
