import { type TextPosition, readJson, writeJson } from '../text/json'
import { isJsonObject } from '../text/json-path'
import { readYaml } from '../text/yaml'

/** What a free-form member may be. */
export type Expected = 'object' | 'list'

/** A text that was read as JSON or YAML; or what is wrong with it, and where. */
export type FreeText = { ok: true; value: unknown } | { ok: false; message: string; position: TextPosition }

/**
 * Reads a text as JSON or YAML (1.2, one document). What begins as JSON is JSON: YAML would read `{ "team": }`, which
 * is just being typed, as a null.
 */
export function readFreeText(text: string): FreeText {
  const json = readJson(text)
  return json.ok || /^\s*[[{]/.test(text) ? json : readYaml(text)
}

/** Whether a value is what is expected, or null, which says that nothing is set. */
function isExpected(value: unknown, expected: Expected): boolean {
  return value === null || (expected === 'list' ? Array.isArray(value) : isJsonObject(value))
}

/** What a typed text stands for: what it says, or itself while that cannot be read or is not what is expected. */
export function meaningOf(text: string, expected: Expected): unknown {
  const read = readFreeText(text)
  if (!read.ok || !isExpected(read.value, expected)) return text
  remember(read.value, text)
  return read.value
}

/** The texts that values of drafts were read from, so that YAML and its comments come back as they were typed. */
const typed = new WeakMap<object, string>()

function remember(value: unknown, text: string): void {
  if (typeof value === 'object' && value !== null) typed.set(value, text)
}

/** The text of what was entered: as it was typed where that is known, else as JSON. Takes no proxy. */
export function textOf(entered: unknown): string {
  if (entered === undefined) return ''
  if (typeof entered === 'string') return entered
  const known = typeof entered === 'object' && entered !== null ? typed.get(entered) : undefined
  return known ?? writeJson(entered)
}
