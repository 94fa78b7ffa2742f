import { type Document, isMap, isScalar, isSeq, Lexer, type Node, type Pair, parseDocument } from 'yaml'
import { isJsonObject } from './json-path'
import { readYaml, writeYaml, yamlStyle } from './yaml'

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
    node.items = changedPairs(document, node.items, value)
    return node
  }
  if (isSeq<Node>(node) && Array.isArray(value)) {
    node.items = changedItems(document, node.items, value)
    return node
  }
  if (isScalar(node) && node.value === value) return node
  const fresh = document.createNode(value, { aliasDuplicateObjects: false })
  if (node?.commentBefore) fresh.commentBefore = node.commentBefore
  if (node?.comment) fresh.comment = node.comment
  return fresh
}

/** The members, in the value's order. */
function changedPairs(
  document: Document,
  pairs: Pair<Node, Node | null>[],
  value: Record<string, unknown>,
): Pair<Node, Node | null>[] {
  const known = new Map(pairs.map((pair) => [isScalar(pair.key) ? pair.key.value : null, pair]))
  return Object.entries(value).map(([name, member]) => {
    const pair = known.get(name)
    if (!pair) return document.createPair(name, member, { aliasDuplicateObjects: false })
    pair.value = changed(document, pair.value, member)
    return pair
  })
}

/** An item that still exists keeps its node, even at another index. A new item is made from the node at its index. */
function changedItems(document: Document, items: Node[], values: readonly unknown[]): Node[] {
  const said = items.map((item) => JSON.stringify(item.toJS(document)))
  const used = new Set<number>()
  const same = values.map((value) => {
    const text = JSON.stringify(value)
    const index = said.findIndex((one, place) => one === text && !used.has(place))
    if (index >= 0) used.add(index)
    return items[index]
  })
  return values.map(
    (value, index) =>
      same[index] ?? changed(document, used.has(index) ? null : (items[index] ?? null), value),
  )
}
