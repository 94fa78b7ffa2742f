import { isExact } from '@contract/core/exact-json'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Path, pathKey } from '@/ui/format/json-path'
import type { TextProblem } from '@/ui/widgets/editor'
import { createRequestSchema } from '@contract'

type TextPosition = Pick<TextProblem, 'line' | 'column'>

/** The value of a text with the position of each member, or what is wrong with the text and where. */
export type JsonText =
  | { ok: true; value: unknown; positionOf: (path: Path) => TextPosition }
  | { ok: false; problem: TextProblem }

/** A problem of a text with its place, as a sentence. */
export const problemText = ({ line, column, message }: TextProblem): string =>
  `Line ${line}, column ${column}: ${message}`

/** What is wrong with a text, and at which character. */
export class Unreadable extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

/** A value in a text, in JSON or YAML, and the character at which it begins: with members, with items, or a scalar. */
export interface TextNode {
  at: number
  members?: { name: string; at: number; node: TextNode }[]
  items?: TextNode[]
  /** The value of a scalar; throws if it can't be what is wanted. */
  scalar?: (wanted: Wanted) => unknown
}

/** More levels than any request has, and far fewer than the stack allows. */
const deepest = 100
const tooDeep = `More than ${deepest} levels are too deep`

/**
 * The value of a text and the positions in it. Refuses duplicate members, because one would silently win.
 *
 * @param parse gives the text's value; throws `Unreadable`
 */
export function readText(
  parse: () => TextNode,
  positionAt: (at: number) => TextPosition,
  wantedAt: (path: Path) => Wanted,
): JsonText {
  const starts = new Map<string, number>()

  function valueOf({ at, members, items, scalar }: TextNode, path: Path): unknown {
    const key = pathKey(path)
    if (!starts.has(key)) starts.set(key, at)
    if (path.length > deepest) throw new Unreadable(tooDeep, at)
    if (scalar) return scalar(wantedAt(path))
    if (!members) return (items ?? []).map((item, index) => valueOf(item, [...path, index]))
    const names = new Set<string>()
    return Object.fromEntries(
      members.map((member) => {
        const { name } = member
        if (names.has(name)) throw new Unreadable(`"${name}" appears twice`, member.at)
        names.add(name)
        starts.set(pathKey([...path, name]), member.at)
        return [name, valueOf(member.node, [...path, name])]
      }),
    )
  }

  function positionOf(path: Path): TextPosition {
    const start = starts.get(pathKey(path))
    return start === undefined ? positionOf(path.slice(0, -1)) : positionAt(start)
  }

  try {
    return { ok: true, value: valueOf(parse(), []), positionOf }
  } catch (error) {
    // The parsers use the stack too.
    const found = error instanceof RangeError ? new Unreadable(tooDeep, 0) : error
    if (!(found instanceof Unreadable)) throw error
    return { ok: false, problem: { ...positionAt(found.at), message: `${found.message}.` } }
  }
}

/**
 * Reads JSON (RFC 8259). Unlike JSON.parse, its errors are the same on every engine, and it returns the position of every
 * member. Where a text is wanted, a number or boolean is kept as it is written.
 */
export const readJson = (text: string, wantedAt: (path: Path) => Wanted = () => null): JsonText =>
  readText(
    () => {
      const errors: ParseError[] = []
      const root = parseTree(text, errors, { disallowComments: true })
      const [error] = errors
      if (error || !root) {
        const at = error?.offset ?? 0
        const message = error && messages[printParseErrorCode(error.error)]
        throw new Unreadable(at >= text.length ? endsEarly : (message ?? 'A value is expected here'), at)
      }
      return nodeOf(root, text)
    },
    (at) => {
      const before = text.slice(0, at)
      return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
    },
    wantedAt,
  )

/** Writes a value as JSON in the form's style. */
export const writeJson = (value: unknown): string => JSON.stringify(value, null, 2)

const endsEarly = 'The text ends too early'

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

function nodeOf({ type, offset: at, length, children = [], value }: Node, text: string): TextNode {
  if (type === 'object') {
    const members = children.map(({ children: [name, member] = [] }) => ({
      name: String(name!.value),
      at: name!.offset,
      node: nodeOf(member!, text),
    }))
    return { at, members }
  }
  if (type === 'array') return { at, items: children.map((item) => nodeOf(item, text)) }
  const word = text.slice(at, at + length)
  return {
    at,
    scalar: (wanted) => {
      if (type === 'number' && !Number.isFinite(value))
        throw new Unreadable(`"${word}" isn't a value; texts are in double quotes`, at)
      if (type === 'number' && !isExact(word))
        throw new Unreadable(
          `"${word}" has more digits than a number keeps; write it as a text, in double quotes`,
          at,
        )
      return wanted === 'text' && type !== 'string' && type !== 'null' ? word : (value as unknown)
    },
  }
}

/**
 * What a scalar of a request is read as: a text as it is written, a boolean, the mode of a file, or a number. Null where
 * a value may be of any type.
 */
export type Wanted = 'text' | 'boolean' | 'mode' | 'number' | null

/** The part of a schema that says what a value is. */
export interface Described {
  def: {
    type: string
    innerType?: Described
    element?: Described
    valueType?: Described
    shape?: Record<string, Described>
  }
  safeParse: (value: unknown) => { success: boolean }
}

/** Objects whose members are all texts (Kubernetes API: map of strings). */
const mapsOfTexts = ['labels', 'annotations', 'matchLabels', 'volumeAttributes', 'nodeSelector']

/** Members of free-form objects by name (Kubernetes API: volumes, EnvVarSource, SecurityContext). */
const freeMembers: Readonly<Record<string, Wanted>> = {
  ...of('mode', 'mode defaultMode'),
  ...of(
    'boolean',
    'optional readOnly privileged allowPrivilegeEscalation readOnlyRootFilesystem runAsNonRoot hostProcess',
  ),
  ...of(
    'text',
    'name namespace key path value secretName claimName medium server driver fsType fieldPath apiVersion resource',
    'containerName prefix audience user role level type localhostProfile add drop operator values signerName',
  ),
}

function of(wanted: Wanted, ...names: string[]): Record<string, Wanted> {
  return Object.fromEntries(names.flatMap((list) => list.split(' ')).map((name) => [name, wanted]))
}

/** What the value at a path of a request is read as. */
export function wantedAt(path: Path): Wanted {
  let schema: Described | undefined = createRequestSchema
  for (const [index, part] of path.entries()) {
    const { type, shape, element, valueType }: Described['def'] = bareSchema(schema).def
    if (type === 'record') {
      if (mapsOfTexts.includes(String(path[index - 1]))) return index === path.length - 1 ? 'text' : null
      schema = valueType
    } else schema = typeof part === 'number' ? element : shape?.[part]
    if (!schema) return null
    if (bareSchema(schema).def.type === 'unknown') return ofFree(path.slice(index))
  }
  const { type } = bareSchema(schema).def
  if (type === 'string' || type === 'enum') return 'text'
  return type === 'boolean' || type === 'number' ? type : null
}

function ofFree(path: Path): Wanted {
  if (mapsOfTexts.includes(String(path.at(-2)))) return 'text'
  const name = path.findLast((part) => typeof part === 'string')
  return name !== undefined && Object.hasOwn(freeMembers, name) ? (freeMembers[name] ?? null) : null
}

/** A schema without what makes a value optional or null. */
export function bareSchema(schema: Described): Described {
  const { innerType } = schema.def
  return innerType ? bareSchema(innerType) : schema
}
