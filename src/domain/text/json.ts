import { isExact } from '@contract/core/exact-json'
import { type Path, pathKey } from './json-path'
import type { Wanted } from './wanted'

/** A position in a text. Both members count from 1. */
export interface TextPosition {
  line: number
  column: number
}

/** The value of a JSON text with the position of each member, or what is wrong with the text and where. */
export type JsonText =
  | { ok: true; value: unknown; positionOf: (path: Path) => TextPosition }
  | { ok: false; message: string; position: TextPosition }

/** More levels than any request has, and far fewer than the stack allows. */
export const deepest = 100

/** What is wrong with a text, and at which character. */
export class Unreadable extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

/**
 * Reads JSON (RFC 8259). Unlike JSON.parse, its errors are the same on every engine, it returns the position of every
 * member, and it refuses duplicate members, because one would silently win. Where a text is wanted, a number or boolean
 * is kept as it is written.
 */
export function readJson(text: string, wantedAt: (path: Path) => Wanted = () => null): JsonText {
  const starts = new Map<string, number>()
  try {
    const value = new Reader(text, starts, wantedAt).whole()
    const positionOf = (path: Path): TextPosition => {
      for (let length = path.length; length >= 0; length -= 1) {
        const start = starts.get(pathKey(path.slice(0, length)))
        if (start !== undefined) return positionAt(text, start)
      }
      return { line: 1, column: 1 }
    }
    return { ok: true, value, positionOf }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { ok: false, message: error.message, position: positionAt(text, error.at) }
  }
}

/** Writes a value as JSON in the form's style. */
export const writeJson = (value: unknown): string => JSON.stringify(value, null, 2)

function positionAt(text: string, index: number): TextPosition {
  const before = text.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: index - lineStart + 1 }
}

class Reader {
  private index = 0

  constructor(
    private readonly text: string,
    private readonly starts: Map<string, number>,
    private readonly wantedAt: (path: Path) => Wanted,
  ) {}

  whole(): unknown {
    const value = this.value([])
    this.space()
    if (this.index < this.text.length) this.fail('Nothing may follow the value')
    return value
  }

  private value(path: Path): unknown {
    this.space()
    if (path.length > deepest) this.fail(`More than ${deepest} levels are too deep`)
    if (!this.starts.has(pathKey(path))) this.starts.set(pathKey(path), this.index)
    const sign = this.text[this.index]
    if (sign === '{') return this.object(path)
    if (sign === '[') return this.array(path)
    if (sign === '"') return this.string()
    return this.literal(path)
  }

  private object(path: Path): unknown {
    this.index += 1
    const members: [string, unknown][] = []
    const names = new Set<string>()
    if (this.take('}')) return {}
    do {
      this.space()
      const start = this.index
      if (this.text[start] !== '"') this.fail('A member begins with its name in double quotes')
      const name = this.string()
      if (names.has(name)) this.fail(`"${name}" appears twice`, start)
      names.add(name)
      this.starts.set(pathKey([...path, name]), start)
      if (!this.take(':')) this.fail(`A colon follows the name "${name}"`)
      members.push([name, this.value([...path, name])])
    } while (this.take(','))
    if (!this.take('}')) this.fail('A comma or } follows a member')
    return Object.fromEntries(members)
  }

  private array(path: Path): unknown {
    this.index += 1
    const items: unknown[] = []
    if (this.take(']')) return items
    do items.push(this.value([...path, items.length]))
    while (this.take(','))
    if (!this.take(']')) this.fail('A comma or ] follows an item')
    return items
  }

  private string(): string {
    const start = this.index
    this.index += 1
    for (;;) {
      const sign = this.text[this.index]
      if (sign === undefined || sign === '\n') this.fail('This text has no closing quote', start)
      if (sign === '"') break
      this.index += sign === '\\' ? 2 : 1
    }
    this.index += 1
    try {
      return JSON.parse(this.text.slice(start, this.index)) as string
    } catch {
      this.fail("This text has a character or escape that JSON doesn't allow", start)
    }
  }

  private literal(path: Path): unknown {
    const start = this.index
    const word = /^[-+.\w]+/.exec(this.text.slice(start, start + 400))?.[0]
    if (word === undefined) {
      this.fail(start < this.text.length ? 'A value is expected here' : 'The text ends too early')
    }
    if (isNumber(word) && !isExact(word)) {
      this.fail(`"${word}" has more digits than a number keeps; write it as a text, in double quotes`, start)
    }
    if (word === 'true' || word === 'false' || word === 'null' || isNumber(word)) {
      if (word !== 'null' && this.wantedAt(path) === 'text') {
        this.index += word.length
        return word
      }
      const problem = inexactness(word)
      if (problem !== null) this.fail(problem)
      this.index += word.length
      return JSON.parse(word)
    }
    this.fail(`"${word}" isn't a value; texts are in double quotes`)
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.text[this.index] ?? '')) this.index += 1
  }

  private take(sign: string): boolean {
    this.space()
    if (this.text[this.index] !== sign) return false
    this.index += 1
    return true
  }

  private fail(message: string, at = this.index): never {
    throw new Unreadable(message, at)
  }
}

/** What is wrong with a whole number that a double can't hold; null if it can, or if the text is something else. */
export function inexactness(word: string): string | null {
  if (!/^[-+]?\d{16,400}$/.test(word) || BigInt(word) === BigInt(Number(word))) return null
  return `${word} has more digits than a number can; write it in quotes`
}

/** Whether a text is a number (RFC 8259) that fits in a double. */
function isNumber(word: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(word) && Number.isFinite(Number(word))
}
