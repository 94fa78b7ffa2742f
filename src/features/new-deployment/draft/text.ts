import { isExact } from '@contract/core/exact-json'
import { parse as parseJson, type ParseError, printParseErrorCode } from 'jsonc-parser'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parse as parseYaml,
  parseDocument,
  type Scalar,
  stringify,
} from 'yaml'
import { isJsonObject, isSame, type Path, pathKey } from '@/ui/format/json-path'
import type { TextProblem } from '@/ui/widgets/editor'
import type { Wanted } from './wanted'

type TextPosition = Pick<TextProblem, 'line' | 'column'>

/** The value of a text with the position of each member, or what is wrong with the text and where. */
export type ReadText =
  | { ok: true; value: unknown; positionOf: (path: Path) => TextPosition }
  | { ok: false; problem: TextProblem }

/** A problem of a text with its place, as a sentence. */
export const problemText = ({ line, column, message }: TextProblem): string =>
  `Line ${line}, column ${column}: ${message}`

/** What is wrong with a text, and at which character. */
class Unreadable extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

/** More levels than any request has, and far fewer than the stack allows. */
const deepest = 100
const tooDeep = `More than ${deepest} levels are too deep`

/**
 * Reads the part of YAML 1.2 (core schema, one document) that has an equivalent in JSON, with the position of every
 * member. Refuses what JSON lacks and what could hide what is sent: duplicate members, aliases, anchors, tags, infinite
 * numbers. Aliases aren't resolved, because a short text could expand without limit.
 *
 * Kubernetes' tools read YAML 1.1. So what is wanted at a path decides: a text is kept as it is written (`1.10`), the
 * mode of a file is octal (`0400`), a boolean may be `yes`. Elsewhere, what the two versions read differently is refused.
 */
export const readYaml = (text: string, wantedAt: (path: Path) => Wanted = () => null): ReadText =>
  read(text, wantedAt, () => undefined)

/** Reads JSON (RFC 8259), which is YAML as well, as `readYaml` does. Its errors are the same on every engine. */
export const readJson = (text: string, wantedAt: (path: Path) => Wanted = () => null): ReadText =>
  read(text, wantedAt, refuseOtherThanJson)

/** @param refuse throws `Unreadable` if the text isn't in its language, besides what the YAML parser finds */
function read(text: string, wantedAt: (path: Path) => Wanted, refuse: (text: string) => void): ReadText {
  const starts = new Map<string, number>()

  function valueOf(node: Node | null | undefined, path: Path): unknown {
    const at = node?.range?.[0] ?? 0
    const key = pathKey(path)
    if (!starts.has(key)) starts.set(key, at)
    if (path.length > deepest) throw new Unreadable(tooDeep, at)
    if (!node) return null
    refuseReferences(node)
    if (isScalar(node)) return scalarOf(node, wantedAt(path), at)
    if (isSeq<Node>(node)) return node.items.map((item, index) => valueOf(item, [...path, index]))
    if (!isMap<Node, Node | null>(node)) throw new Unreadable("JSON can't express this", at)
    const names = new Set<string>()
    return Object.fromEntries(
      node.items.map((pair) => {
        const name = nameOf(pair.key)
        const start = pair.key.range?.[0] ?? 0
        // One of the two would silently win.
        if (names.has(name)) throw new Unreadable(`"${name}" appears twice`, start)
        names.add(name)
        starts.set(pathKey([...path, name]), start)
        return [name, valueOf(pair.value, [...path, name])]
      }),
    )
  }

  function positionOf(path: Path): TextPosition {
    const start = starts.get(pathKey(path))
    return start === undefined ? positionOf(path.slice(0, -1)) : positionAt(text, start)
  }

  try {
    refuse(text)
    const document = parseDocument(text, {
      prettyErrors: false,
      schema: 'core',
      merge: false,
      stringKeys: true,
      // The library would compare each key with all earlier ones. `valueOf` uses a set.
      uniqueKeys: false,
    })
    const [problem] = document.errors
    if (problem) throw new Unreadable(describeProblem(problem.code, problem.message), problem.pos[0])
    return { ok: true, value: valueOf(document.contents, []), positionOf }
  } catch (error) {
    // The parsers use the stack too.
    const found = error instanceof RangeError ? new Unreadable(tooDeep, 0) : error
    if (!(found instanceof Unreadable)) throw error
    return { ok: false, problem: { ...positionAt(text, found.at), message: `${found.message}.` } }
  }
}

function positionAt(text: string, at: number): TextPosition {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

function refuseOtherThanJson(text: string): void {
  const errors: ParseError[] = []
  parseJson(text, errors, { disallowComments: true })
  const [error] = errors
  if (!error) return
  const message = messages[printParseErrorCode(error.error)] ?? 'A value is expected here'
  throw new Unreadable(error.offset >= text.length ? 'The text ends too early' : message, error.offset)
}

const noSuchCharacter = "This text has a character or escape that JSON doesn't allow"
const separator = 'A comma, } or ] is expected here'

/** What the errors of the library mean. All others are at the place of a value. */
const messages: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'A member begins with its name in double quotes',
  ColonExpected: 'A colon follows the name of a member',
  CommaExpected: separator,
  CloseBraceExpected: separator,
  CloseBracketExpected: separator,
  EndOfFileExpected: 'Nothing may follow the value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'This text has no closing quote',
  InvalidUnicode: noSuchCharacter,
  InvalidEscapeCharacter: noSuchCharacter,
  InvalidCharacter: noSuchCharacter,
  InvalidSymbol: "This isn't a value; texts are in double quotes",
}

/** The library's message, or ours if that describes the library's internals. */
function describeProblem(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces, not with tabs'
  if (code === 'MULTIPLE_DOCS') return 'A second document begins here; a request is one document'
  if (code === 'NON_STRING_KEY') return 'The name of a member must be a text'
  if (code === 'TAG_RESOLVE_FAILED') return noTags
  return message.replace(/\.$/, '')
}

const noTags = "Tags (!) aren't supported; write a text in quotes"

function refuseReferences(node: Node): void {
  const at = node.range?.[0] ?? 0
  if (isAlias(node))
    throw new Unreadable(`The alias *${node.source} isn't supported; write the value out`, at)
  const { anchor, tag } = node as Scalar
  if (anchor !== undefined) throw new Unreadable("Anchors (&) aren't supported; write the value out", at)
  if (tag !== undefined) throw new Unreadable(noTags, at)
}

function nameOf(key: Node): string {
  refuseReferences(key)
  if (isScalar(key) && typeof key.value === 'string') return key.value
  throw new Unreadable('The name of a member must be a text', key.range?.[0] ?? 0)
}

function scalarOf({ value, source = '', type }: Scalar, wanted: Wanted, at: number): unknown {
  if (type === 'PLAIN' && value !== null) {
    if (wanted === 'text') return source
    const meant = meantBy(source, wanted)
    if (meant !== undefined) return meant
    const difference = differenceOf(source, value)
    if (difference !== null) throw new Unreadable(difference, at)
  }
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) throw new Unreadable('JSON has no such number', at)
  if (decimal.test(source) && !isExact(source.replace('+', '')))
    throw new Unreadable(`${source} has more digits than a number can; write it in quotes`, at)
  return value
}

const decimal = /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i

/** What a plain scalar means where a mode or a boolean is wanted; undefined if that doesn't decide it. */
function meantBy(source: string, wanted: Wanted): number | boolean | undefined {
  if (wanted === 'mode' && /^0o?[0-7]+$/.test(source)) return Number.parseInt(source.replace('o', ''), 8)
  if (wanted === 'boolean' && /^(yes|on)$/i.test(source)) return true
  if (wanted === 'boolean' && /^(no|off)$/i.test(source)) return false
  return undefined
}

/** What may be a number or a boolean in one version of YAML only. */
const suspicious = /^(?:[-+]?[\d.][\w.:]*|y|n|yes|no|on|off)$/i

/** What YAML 1.1 makes of a plain scalar that YAML 1.2 reads as `value`; null if the same. */
function differenceOf(source: string, value: unknown): string | null {
  if (!suspicious.test(source) || /^[-+]?0o/.test(source)) return null
  const old: unknown = parseYaml(source, { schema: 'yaml-1.1' })
  if (old === value || old instanceof Date) return null
  return `${source} means ${JSON.stringify(old)} in YAML 1.1 and ${JSON.stringify(value)} in YAML 1.2; write the one that is meant`
}

/** Writes a value as JSON in the form's style. */
export const writeJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** The style in which the form shows YAML. */
const yamlStyle = {
  lineWidth: 0,
  schema: 'core',
  version: '1.2',
  // Quotes what YAML 1.1 would read as something other than a text, such as yes.
  compat: 'yaml-1.1',
  // A block scalar can't represent every text exactly. A quoted one can.
  blockQuote: 'literal',
} as const

/** Writes a value as YAML in the form's style. `readYaml` returns the same value. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { ...yamlStyle, aliasDuplicateObjects: false })

/** Whether a YAML text has comments. */
export function hasComments(text: string): boolean {
  if (!text.includes('#')) return false
  for (const token of new Lexer().lex(text)) if (token.startsWith('#')) return true
  return false
}

/**
 * Writes a JSON value as YAML, and keeps an earlier text's comments at members that still exist. If the earlier text
 * can't be read, its comments are lost.
 */
export function writeYamlLike(before: string, value: unknown): string {
  if (!hasComments(before)) return writeYaml(value)
  const document = parseDocument(before, yamlStyle)
  if (document.errors.length > 0) return writeYaml(value)
  document.contents = changed(document, document.contents, value) as typeof document.contents
  const text = document.toString(yamlStyle)
  const read = readYaml(text)
  return read.ok && isSame(read.value, value) ? text : writeYaml(value)
}

/** The node for a value, made from the node that was in its place. */
function changed(document: Document, node: Node | null, value: unknown): Node {
  if (isMap<Node, Node | null>(node) && isJsonObject(value)) {
    const { items } = node
    node.items = Object.entries(value).map(([name, member]) => {
      const pair =
        items.find(({ key }) => isScalar(key) && key.value === name) ?? document.createPair(name, null)
      pair.value = changed(document, pair.value, member)
      return pair
    })
    return node
  }
  if (isSeq<Node>(node) && Array.isArray(value)) {
    const { items } = node
    const left = [...items]
    // An item that still exists keeps its node, even at another index. A new item is made from the node at its index.
    const kept = value.map((item) => {
      const at = left.findIndex((one) => isSame(one.toJS(document), item))
      return at < 0 ? undefined : left.splice(at, 1)[0]
    })
    node.items = value.map((item: unknown, index) => {
      const before = items[index]
      return kept[index] ?? changed(document, before && left.includes(before) ? before : null, item)
    })
    return node
  }
  if (isScalar(node) && node.value === value) return node
  const fresh = document.createNode(value, { aliasDuplicateObjects: false })
  if (node?.commentBefore) fresh.commentBefore = node.commentBefore
  if (node?.comment) fresh.comment = node.comment
  return fresh
}
