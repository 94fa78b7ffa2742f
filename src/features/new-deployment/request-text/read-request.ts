import { createRequestSchema, type Secret } from '@contract'
import type { CodeLanguage, TextProblem } from '@/ui/widgets/editor'
import {
  type Draft,
  draftOf,
  type EnteredRequest,
  isSent,
  isUsual,
  mask,
  unmaskedUrls,
  valueOf,
} from '../draft/draft'
import { fieldNames, fields } from '../draft/fields'
import { type Issue, pathsOf } from '../draft/validate'
import { type JsonText, readJson, wantedAt, writeJson } from '../draft/json'
import {
  copyJson,
  isJsonObject,
  type JsonObject,
  type Path,
  setValueAt,
  valueAt,
} from '@/ui/format/json-path'
import { readYaml, writeYaml } from '../draft/yaml'

/** A language that a request can be written in. */
interface TextLanguage {
  label: string
  read: (text: string) => JsonText
  write: (value: unknown) => string
}

export const languages: Record<CodeLanguage, TextLanguage> = {
  json: { label: 'JSON', read: (text) => readJson(text, wantedAt), write: writeJson },
  yaml: { label: 'YAML', read: (text) => readYaml(text, wantedAt), write: writeYaml },
}

/** The secrets of a text with their values, and the positions of masks without one. */
interface Unmasked {
  secrets: unknown[]
  unknown: number[]
  /** Whether the text shows a value. */
  clear: boolean
}

/**
 * Replaces masks in a text with their values. A mask stands for the value of the secret with its name, wherever that
 * is now; otherwise of the secret at its position, which was renamed; otherwise for the last known value of its name,
 * in case the secret was cut and pasted back.
 */
export function unmask(
  shown: readonly unknown[],
  before: readonly Secret[],
  remembered: ReadonlyMap<string, string>,
): Unmasked {
  const left = before.map((secret, index) => ({ ...secret, index })).filter(({ value }) => value !== '')
  /** The value of the first secret that fits and isn't taken. In a text that nobody rearranged, it is the first of all. */
  const take = (fits: (secret: Secret & { index: number }) => boolean): string | undefined => {
    const at = left.findIndex(fits)
    return at < 0 ? undefined : left.splice(at, 1)[0]?.value
  }
  const values = new Map<number, string>()
  const rounds: ((name: unknown, index: number) => string | undefined)[] = [
    (name, index) => take((one) => one.index === index && one.name === name),
    (name) => take((one) => one.name === name),
    (_name, index) => take((one) => one.index === index),
    (name) => remembered.get(String(name)),
  ]
  const isMasked = (secret: unknown): secret is Secret => isJsonObject(secret) && secret.value === mask
  for (const round of rounds) {
    shown.forEach((secret, index) => {
      if (!isMasked(secret) || values.has(index)) return
      const value = round(secret.name, index)
      if (value !== undefined) values.set(index, value)
    })
  }
  return {
    secrets: shown.map((secret, index) =>
      isJsonObject(secret)
        ? { name: '', value: '', ...secret, ...(values.has(index) ? { value: values.get(index)! } : {}) }
        : secret,
    ),
    unknown: shown.flatMap((secret, index) => (isMasked(secret) && !values.has(index) ? [index] : [])),
    clear: shown.some((secret) => isJsonObject(secret) && secret.value !== mask && Boolean(secret.value)),
  }
}

/** The values behind the masks in a text: what the form has, and earlier values of secrets by name. */
export interface KnownSecrets {
  before: EnteredRequest
  remembered: ReadonlyMap<string, string>
}

/** A request parsed from text, and whether the text shows the value of a secret (`clear`); or the text's problems. */
type RequestReading =
  | { ok: true; request: EnteredRequest; clear: boolean }
  | { ok: false; problems: TextProblem[] }

/**
 * Parses a request that may be unfinished, as the form may be: members may be missing or empty, but not unknown or of
 * the wrong type. Other errors of a value are shown at its field.
 */
export function readRequest(text: string, language: CodeLanguage, known: KnownSecrets): RequestReading {
  const read = languages[language].read(text)
  if (!read.ok) return { ok: false, problems: [{ ...read.position, message: `${read.message}.` }] }
  const problem = (path: Path, message: string): TextProblem => ({ ...read.positionOf(path), message })
  if (!isJsonObject(read.value)) {
    return { ok: false, problems: [problem([], 'A request is an object with the fields name, source, …')] }
  }
  const urls = unmaskedUrls(read.value, known.before)
  const { name = '', source, source_config = {}, source_revision_config = {}, secrets = [] } = urls.request
  const unmasked = Array.isArray(secrets)
    ? unmask(secrets, known.before.secrets, known.remembered)
    : { secrets, unknown: [], clear: false }
  const request: JsonObject = {
    ...urls.request,
    name,
    source,
    source_config,
    source_revision_config,
    secrets: unmasked.secrets,
  }
  const problems = [
    ...shapeProblems(request).map(({ path, message }) => problem(path, message)),
    ...[...urls.unknown, ...unmasked.unknown.map((index) => ['secrets', index, 'value'])].map((path) =>
      problem(path, 'This mask has no stored value. Enter the value.'),
    ),
  ].sort((one, other) => one.line - other.line || one.column - other.column)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, request: request as unknown as EnteredRequest, clear: unmasked.clear }
}

/**
 * The draft after its request was replaced by text. Fields that the form keeps without sending stay, unless the text's
 * source sends them.
 */
export function draftWith(before: Draft, request: EnteredRequest): Draft {
  const after = draftOf(request as unknown as Parameters<typeof draftOf>[0])
  const { source } = after.entered
  for (const name of fieldNames) {
    const previous = isSent(before, name) ? undefined : valueOf(before.entered, name)
    if (previous !== undefined && !isSent(after, name)) {
      setValueAt(after.entered, fields[name].path, copyJson(previous))
    }
  }
  const stillWanted = before.alsoSent.filter(
    (name) => !isUsual(name, source) && !after.alsoSent.includes(name),
  )
  return { ...after, alsoSent: [...after.alsoSent, ...stillWanted] }
}

/** Problems that the form can't represent: unknown members and values of the wrong type. */
function shapeProblems(request: JsonObject): { path: Path; message: string }[] {
  const result = createRequestSchema.safeParse(request)
  if (result.success) return []
  return result.error.issues
    .filter((issue) => !isForTheForm(issue, request))
    .flatMap((issue) => pathsOf(issue).map((path) => ({ path, message: messageFor(issue, path) })))
}

/** Whether the form shows the problem itself: a missing member or an invalid value. */
function isForTheForm(issue: Issue, request: JsonObject): boolean {
  if (['too_small', 'too_big', 'invalid_format', 'custom', 'not_multiple_of'].includes(issue.code))
    return true
  if (issue.code === 'unrecognized_keys') return false
  const [path] = pathsOf(issue)
  return path !== undefined && path[0] !== 'source' && path.length > 1 && valueAt(request, path) === undefined
}

const typeLabels: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function messageFor(issue: Issue, path: Path): string {
  if (issue.code === 'unrecognized_keys') return `Unknown field "${path.at(-1)}".`
  if (issue.code === 'invalid_value') return `Expected one of ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_type') return `Expected ${typeLabels[issue.expected] ?? issue.expected}.`
  return issue.message
}
