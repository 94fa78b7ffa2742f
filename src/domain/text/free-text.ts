import { type TextPosition, readJson, writeJson } from './json'
import { isJsonObject, type Path } from './json-path'
import { wantedAt } from './wanted'
import { readYaml } from './yaml'

/** The type of a free-form member. */
export type Expected = 'object' | 'list'

/** The value of a text in JSON or YAML, or what is wrong with the text and where. */
export type FreeText = { ok: true; value: unknown } | { ok: false; message: string; position: TextPosition }

/**
 * Reads a text as JSON or YAML (1.2, one document). A text that begins like JSON is read as JSON only, because YAML
 * would read an unfinished `{ "team": }` as a null.
 *
 * @param at the path of the text's value in the request
 */
export function readFreeText(text: string, at: Path): FreeText {
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
