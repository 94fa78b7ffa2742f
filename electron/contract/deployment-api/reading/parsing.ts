import { parseExact } from '../../core/exact-json'
import { answerLimits } from '../list'
import type { Read } from '.'

/**
 * Parses the body of an answer (JSON in UTF-8), with all digits (`parseExact`). Never throws. A body that would take too much memory or stack isn't
 * parsed. The reason completes a sentence that begins with "answered with".
 */
export function parseAnswer(body: Uint8Array): Read<unknown> {
  if (body.byteLength > answerLimits.bytes) return { ok: false, reason: 'more than can be read' }
  const excess = excessOf(body)
  if (excess !== null) return { ok: false, reason: excess }
  try {
    return { ok: true, value: parseExact(new TextDecoder().decode(body)) }
  } catch {
    return { ok: false, reason: 'something that is not JSON, or with half of it' }
  }
}

/** How a JSON text exceeds the limits of an answer; null if it doesn't. */
function excessOf(body: Uint8Array): string | null {
  let depth = 0
  let values = 1
  let inString = false
  for (let index = 0; index < body.length; index += 1) {
    const sign = body[index]
    if (sign === quote) inString = !inString
    else if (inString) {
      if (sign === backslash) index += 1
    } else if (sign === openBrace || sign === openBracket) {
      depth += 1
      values += 1
      if (depth > answerLimits.levels) return 'JSON that is nested too deeply to be read'
    } else if (sign === closeBrace || sign === closeBracket) depth -= 1
    else if (sign === comma) values += 1
    if (values > answerLimits.values) return 'JSON that has too many values to be read'
  }
  return null
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = [...'"\\{}[],'].map(
  (sign) => sign.charCodeAt(0),
)
