/** A text, or a number with a secret's name, in a JSON text. */
interface JsonValue {
  /** A text without its escapes; a number as it is written. */
  text: string
  /** Whether the name of its member, or of the member with its list, is a secret's. */
  isNamed: boolean
  /** How many lists and objects it is in. */
  depth: number
}

/** How many steps are made before a turn of the event loop may end. */
const stepsAtOnce = 500

/**
 * The texts and named numbers of a JSON text, and null now and then so that a large text can be read over several turns
 * of the event loop: `JSON.parse` of 4 MB blocks for up to half a second. What isn't JSON gives what looks like it.
 *
 * @param options.isSecret whether a member of that name has a secret
 * @param options.isNamed the same of the member that the JSON text itself belongs to
 * @param options.deepest lists and objects in more others than that are passed over
 */
export function* jsonValues(
  json: string,
  options: { isSecret: (name: string) => boolean; isNamed: boolean; deepest: number },
): Generator<JsonValue | null, void> {
  /** For each open list or object: whether it is a list, and whether its values are named. */
  const open: { isList: boolean; isNamed: boolean }[] = []
  /** How many more are open than `deepest`. */
  let passedOver = 0
  /** The member whose value comes next; null outside of objects. */
  let member: boolean | null = null
  let visited = 0

  const isNamed = (): boolean => member ?? open.at(-1)?.isNamed ?? options.isNamed

  for (let at = 0; at < json.length;) {
    visited += 1
    if (visited % stepsAtOnce === 0) yield null
    const sign = json[at]!
    if (sign === '{' || sign === '[') {
      if (open.length >= options.deepest) passedOver += 1
      else open.push({ isList: sign === '[', isNamed: sign === '[' && isNamed() })
      member = null
      at += 1
    } else if (sign === '}' || sign === ']') {
      if (passedOver > 0) passedOver -= 1
      else open.pop()
      member = null
      at += 1
    } else if (sign === '"') {
      const end = endOfString(json, at)
      if (passedOver > 0) {
        at = end
        continue
      }
      const text = unescaped(json.slice(at, end))
      at = end
      if (open.at(-1)?.isList === false && member === null) member = options.isSecret(text)
      else yield { text, isNamed: isNamed(), depth: open.length }
    } else if (/[\d-]/.test(sign)) {
      const text = numberAt(json, at)
      at += text.length
      if (passedOver === 0 && isNamed()) yield { text, isNamed: true, depth: open.length }
    } else {
      if (sign === ',') member = null
      at += 1
    }
  }
}

/**
 * The index after the closing quotation mark of the string that begins at an index; the end of the text without one.
 */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at + 1
  }
  return json.length
}

const number = /-?\d*\.?\d*(?:[eE][+-]?\d+)?/y

function numberAt(json: string, at: number): string {
  number.lastIndex = at
  return number.exec(json)?.[0] || json[at]!
}

function unescaped(string: string): string {
  if (!string.includes('\\') && string.length > 1)
    return string.slice(1, string.endsWith('"') ? -1 : undefined)
  try {
    return JSON.parse(string) as string
  } catch {
    return string.replace(/^"|"$/g, '')
  }
}
