import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parse,
  type ParsedNode,
  parseDocument,
  type Scalar,
  stringify,
} from 'yaml'
import {
  type JsonText,
  readText,
  type TextNode,
  Unreadable,
  type Wanted,
  readJson,
  wantedAt,
  writeJson,
} from './json'
import { isJsonObject, type Path, type JsonObject } from '@/ui/format/json-path'

/**
 * Reads the part of YAML 1.2 (core schema, one document) that has an equivalent in JSON, with the position of every
 * member. Refuses what JSON lacks and what could hide what is sent: duplicate members, aliases, anchors, tags, infinite
 * numbers. Aliases aren't resolved, because a short text could expand without limit.
 *
 * Kubernetes' tools read YAML 1.1. So what is wanted at a path decides: a text is kept as it is written (`1.10`), the
 * mode of a file is octal (`0400`), a boolean may be `yes`. Elsewhere, what the two versions read differently is refused.
 */
export function readYaml(text: string, wantedAt: (path: Path) => Wanted = () => null): JsonText {
  const lines = new LineCounter()
  const positionAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  return readText(
    () => {
      const document = parseDocument<ParsedNode>(text, {
        lineCounter: lines,
        prettyErrors: false,
        schema: 'core',
        merge: false,
        stringKeys: true,
        // The library would compare each key with all earlier ones. `readText` uses a set.
        uniqueKeys: false,
      })
      const [problem] = document.errors
      if (problem) throw new Unreadable(describeProblem(problem.code, problem.message), problem.pos[0])
      return nodeOf(document.contents)
    },
    positionAt,
    wantedAt,
  )
}

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

/** The library's message, or ours if that describes the library's internals. */
function describeProblem(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces, not with tabs'
  if (code === 'MULTIPLE_DOCS') return 'A second document begins here; a request is one document'
  if (code === 'NON_STRING_KEY') return 'The name of a member must be a text'
  if (code === 'TAG_RESOLVE_FAILED') return "Tags (!) aren't supported; write a text in quotes"
  return message.replace(/\.$/, '')
}

const anchors = "Anchors (&) aren't supported; write the value out"

function nodeOf(node: Node | null | undefined): TextNode {
  const at = node?.range?.[0] ?? 0
  if (!node) return { at, scalar: () => null }
  if (isAlias(node))
    throw new Unreadable(`The alias *${node.source} isn't supported; write the value out`, at)
  const { anchor, tag } = node as Scalar
  if (anchor !== undefined) throw new Unreadable(anchors, at)
  if (tag !== undefined) throw new Unreadable("Tags (!) aren't supported; write a text in quotes", at)
  if (isSeq<Node>(node)) return { at, items: node.items.map(nodeOf) }
  if (isScalar(node)) return { at, scalar: (wanted) => scalarOf(node, wanted, at) }
  if (!isMap<Node, Node | null>(node)) throw new Unreadable("JSON can't express this", at)
  const members = node.items.map(({ key, value }) => {
    // An alias says so itself.
    const name = isAlias(key) ? nodeOf(key) : { at: key.range?.[0] ?? 0 }
    if (!isScalar(key) || typeof key.value !== 'string')
      throw new Unreadable('The name of a member must be a text', name.at)
    if (key.anchor !== undefined) throw new Unreadable(anchors, name.at)
    return { name: key.value, at: name.at, node: nodeOf(value) }
  })
  return { at, members }
}

function scalarOf({ value, source, type }: Scalar, wanted: Wanted, start: number): unknown {
  if (type === 'PLAIN' && source !== undefined && value !== null) {
    if (wanted === 'text') return source
    const meant = meantBy(source, wanted)
    if (meant !== undefined) return meant
    const problem = differenceOf(source, value) ?? inexactness(source)
    if (problem !== null) throw new Unreadable(problem, start)
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Unreadable('JSON has no such number', start)
}

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
  const old: unknown = parse(source, { schema: 'yaml-1.1' })
  if (old === value || old instanceof Date) return null
  return `${source} means ${JSON.stringify(old)} in YAML 1.1 and ${JSON.stringify(value)} in YAML 1.2; write the one that is meant`
}

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

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

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

/** What is wrong with a whole number that a double can't hold; null if it can, or if the text is something else. */
function inexactness(word: string): string | null {
  if (!/^[-+]?\d{16,400}$/.test(word) || BigInt(word) === BigInt(Number(word))) return null
  return `${word} has more digits than a number can; write it in quotes`
}

/** The type of a free-form member. */
export type Expected = 'object' | 'list'

/**
 * Reads a text as JSON or YAML (1.2, one document). A text that begins like JSON is read as JSON only, because YAML
 * would read an unfinished `{ "team": }` as a null.
 *
 * @param at the path of the text's value in the request
 */
export function readFreeText(text: string, at: Path): JsonText {
  const wanted = (path: Path) => wantedAt([...at, ...path])
  const json = readJson(text, wanted)
  return json.ok || /^\s*[[{]/.test(text) ? json : readYaml(text, wanted)
}

/** Whether a value has the expected type, or is null, which means that nothing is set. */
function isExpected(value: unknown, expected: Expected): boolean {
  return value === null || (expected === 'list' ? Array.isArray(value) : isJsonObject(value))
}

/** The value of a typed text; the text itself if it can't be read or has another type. */
export function meaningOf(text: string, at: Path, expected: Expected): unknown {
  const read = readFreeText(text, at)
  if (!read.ok || !isExpected(read.value, expected)) return text
  remember(read.value, text)
  return read.value
}

/** The texts from which the drafts' values were read, so that YAML and its comments reappear as typed. */
const typed = new WeakMap<object, string>()

function remember(value: unknown, text: string): void {
  if (typeof value === 'object' && value !== null) typed.set(value, text)
}

/** The text of a value: as typed if that is known, else as JSON. Doesn't work with Vue's proxies. */
export function textOf(entered: unknown): string {
  if (entered === undefined) return ''
  if (typeof entered === 'string') return entered
  const known = typeof entered === 'object' && entered !== null ? typed.get(entered) : undefined
  return known ?? writeJson(entered)
}

/** A member of a free-form object, as a row of the form. */
export interface KeyValue {
  key: string
  value: unknown
}

/**
 * The rows of an object with free keys. An object can't have empty or duplicate keys, but operators produce both while
 * they type. Until the keys are valid, the draft has the rows themselves.
 */
export function rowsOf(entered: unknown): KeyValue[] {
  if (isJsonObject(entered)) return Object.entries(entered).map(([key, value]) => ({ key, value }))
  return areRows(entered) ? entered.map((row) => ({ ...row })) : []
}

/**
 * The draft's value for rows: undefined if there are none, an object, or the rows themselves while they can't be one.
 */
export function valueOfRows(rows: readonly KeyValue[]): JsonObject | KeyValue[] | undefined {
  if (rows.length === 0) return undefined
  return problemOfRows(rows) !== null
    ? rows.map((row) => ({ ...row }))
    : Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** What is wrong with the key of a row; null if nothing is. */
export function keyProblem(rows: readonly KeyValue[], index: number): string | null {
  const { key } = rows[index]!
  if (key === '') return 'Enter a key.'
  return rows.findIndex((row) => row.key === key) < index ? `Duplicate key "${key}".` : null
}

/** Why rows can't be an object; null if they can, or if the value isn't rows. */
export const problemOfRows = (entered: unknown): string | null =>
  areRows(entered) ? (entered.map((_row, index) => keyProblem(entered, index)).find(Boolean) ?? null) : null

function areRows(entered: unknown): entered is KeyValue[] {
  return (
    Array.isArray(entered) &&
    entered.length > 0 &&
    entered.every((row) => isJsonObject(row) && typeof row.key === 'string' && 'value' in row)
  )
}

/** The text of a row's value: a text unchanged, anything else as JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/**
 * The value of a row's text: a text, or parsed JSON if the value wasn't a text before. A number that would be written
 * differently, such as 1.10, is a text.
 */
export function valueOfText(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text
  const read = readJson(text)
  if (!read.ok || (typeof read.value === 'number' && String(read.value) !== text)) return text
  return read.value
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** The value of a number field: undefined if it is empty, a number, or the text itself while it isn't a number. */
export function numberOf(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  return number.test(trimmed) && Number.isFinite(value) ? value : text
}

/** The text of a number field. */
export function textOfNumber(entered: unknown): string {
  return typeof entered === 'string' || typeof entered === 'number' ? String(entered) : ''
}
