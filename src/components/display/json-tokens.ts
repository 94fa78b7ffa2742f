/** A piece of JSON text and its kind, for highlighting. */
export interface JsonToken {
  text: string
  kind: 'key' | 'string' | 'literal' | 'plain'
}

/** Longer texts are shown in one colour: thousands of elements would make the view slow. */
const longestColoured = 60_000

/** Splits JSON text into keys, strings, literals and the rest. Together, the pieces are the whole text. */
export function jsonTokens(text: string): JsonToken[] {
  if (text.length > longestColoured) return [{ text, kind: 'plain' }]
  const parts: JsonToken[] = []
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g
  let end = 0
  for (const match of text.matchAll(token)) {
    const start = match.index
    if (start > end) parts.push({ text: text.slice(end, start), kind: 'plain' })
    const [whole, string, colon] = match
    parts.push({ text: whole, kind: string ? (colon ? 'key' : 'string') : 'literal' })
    end = start + whole.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), kind: 'plain' })
  return parts
}
