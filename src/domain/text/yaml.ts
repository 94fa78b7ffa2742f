import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type ParsedNode,
  type Scalar,
  stringify,
} from 'yaml'
import { deepest, type JsonText, type TextPosition, Unreadable } from './json'
import { type Path, pathKey } from './json-path'

/**
 * Reads the part of YAML 1.2 (core schema, one document) that has an equivalent in JSON, with the position of every
 * member. Refuses what JSON lacks and what could hide what is sent: duplicate members, aliases, anchors, tags, infinite
 * numbers. Aliases aren't resolved, because a short text could expand without limit.
 */
export function readYaml(text: string): JsonText {
  const lines = new LineCounter()
  const positionAt = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  try {
    const document = parseDocument<ParsedNode>(text, {
      lineCounter: lines,
      prettyErrors: false,
      schema: 'core',
      merge: false,
      stringKeys: true,
      // The library would compare each key with all earlier ones. The walk below uses a set.
      uniqueKeys: false,
    })
    const problem = document.errors[0]
    if (problem) throw new Unreadable(describeProblem(problem.code, problem.message), problem.pos[0])
    const starts = new Map<string, number>()
    const value = new Walk(starts).value(document.contents, [])
    const positionOf = (path: Path): TextPosition => {
      for (let length = path.length; length >= 0; length -= 1) {
        const start = starts.get(pathKey(path.slice(0, length)))
        if (start !== undefined) return positionAt(start)
      }
      return { line: 1, column: 1 }
    }
    return { ok: true, value, positionOf }
  } catch (error) {
    if (error instanceof RangeError) {
      return { ok: false, message: tooDeep, position: { line: 1, column: 1 } }
    }
    if (!(error instanceof Unreadable)) throw error
    return { ok: false, message: error.message, position: positionAt(error.at) }
  }
}

/** The style in which the form shows YAML. */
export const yamlStyle = {
  lineWidth: 0,
  schema: 'core',
  version: '1.2',
  // A block scalar can't represent every text exactly. A quoted one can.
  blockQuote: 'literal',
} as const

/** Writes a value as YAML in the form's style. `readYaml` returns the same value. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { ...yamlStyle, aliasDuplicateObjects: false })

const tooDeep = `More than ${deepest} levels are too deep`

/** The library's message, or ours if that describes the library's internals. */
function describeProblem(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces, not with tabs'
  if (code === 'MULTIPLE_DOCS') return 'A second document begins here; a request is one document'
  if (code === 'NON_STRING_KEY') return 'The name of a member must be a text'
  if (code === 'TAG_RESOLVE_FAILED') return "Tags (!) aren't supported; write a text in quotes"
  return message.replace(/\.$/, '')
}

class Walk {
  constructor(private readonly starts: Map<string, number>) {}

  value(node: Node | null | undefined, path: Path): unknown {
    if (!node) return null
    const start = node.range?.[0] ?? 0
    if (!this.starts.has(pathKey(path))) this.starts.set(pathKey(path), start)
    if (path.length > deepest) throw new Unreadable(tooDeep, start)
    if (isAlias(node)) throw new Unreadable(describeAlias(node), start)
    const { anchor, tag } = node as Scalar
    if (anchor !== undefined) throw new Unreadable("Anchors (&) aren't supported; write the value out", start)
    if (tag !== undefined) throw new Unreadable("Tags (!) aren't supported; write a text in quotes", start)
    if (isMap(node)) return this.object(node.items as { key: unknown; value: Node | null }[], path)
    if (isSeq(node)) return node.items.map((item, index) => this.value(item as Node, [...path, index]))
    if (isScalar(node)) return scalarOf(node.value, start)
    throw new Unreadable("JSON can't express this", start)
  }

  private object(pairs: { key: unknown; value: Node | null }[], path: Path): unknown {
    const members = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      if (isAlias(key)) throw new Unreadable(describeAlias(key), key.range?.[0] ?? 0)
      const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0
      if (!isScalar(key) || typeof key.value !== 'string') {
        throw new Unreadable('The name of a member must be a text', start)
      }
      const name = key.value
      if (members.has(name)) throw new Unreadable(`"${name}" appears twice`, start)
      if (key.anchor !== undefined) {
        throw new Unreadable("Anchors (&) aren't supported; write the value out", start)
      }
      this.starts.set(pathKey([...path, name]), start)
      members.set(name, this.value(value, [...path, name]))
    }
    return Object.fromEntries(members)
  }
}

const describeAlias = ({ source }: Alias): string =>
  `The alias *${source} isn't supported; write the value out`

function scalarOf(value: unknown, start: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Unreadable('JSON has no such number', start)
}
