import type { Secret } from '@contract'
import type { CodeLanguage, TextProblem } from '@/ui/widgets/editor'
import {
  type Draft,
  draftOf,
  type EnteredRequest,
  isSent,
  isUsual,
  mask,
  textsIn,
  unmaskedUrls,
  valueOf,
} from '../draft/draft'
import { fieldNames, fields } from '../draft/fields'
import { type Issue, shapeIssues } from '../draft/validate'
import { readJson, type ReadText, readYaml, writeJson, writeYaml } from '../draft/text'
import { wantedAt } from '../draft/wanted'
import {
  copyJson,
  isJsonObject,
  type JsonObject,
  type Path,
  setValueAt,
  valueAt,
} from '@/ui/format/json-path'

/** A language that a request can be written in. */
interface TextLanguage {
  label: string
  read: (text: string) => ReadText
  write: (value: unknown) => string
}

export const languages: Record<CodeLanguage, TextLanguage> = {
  json: { label: 'JSON', read: (text) => readJson(text, wantedAt), write: writeJson },
  yaml: { label: 'YAML', read: (text) => readYaml(text, wantedAt), write: writeYaml },
}

/**
 * The secrets of a text with the values of their masks. A mask stands for the value of the secret with its name,
 * wherever that is now; otherwise of the secret at its position, which was renamed; otherwise for the last known value
 * of its name, in case the secret was cut and pasted back. One that stands for none stays.
 */
function unmask(shown: readonly unknown[], { before, remembered }: KnownSecrets): unknown[] {
  const left: (Secret | undefined)[] = [...before.secrets]
  const take = (index: number): string | undefined => {
    const value = left[index]?.value
    left[index] = undefined
    return value === '' ? undefined : value
  }
  const nameOf = (secret: unknown): unknown => (isJsonObject(secret) ? secret.name : undefined)
  const byName = shown.map((secret) => take(left.findIndex((one) => one?.name === nameOf(secret))))
  return shown.map((secret, index) => {
    if (!isJsonObject(secret) || secret.value !== mask) return secret
    return { ...secret, value: byName[index] ?? take(index) ?? remembered.get(String(secret.name)) ?? mask }
  })
}

/** The values behind the masks in a text: what the form has, and earlier values of secrets by name. */
export interface KnownSecrets {
  before: EnteredRequest
  remembered: ReadonlyMap<string, string>
}

/** A request parsed from text, with its values and as the text shows it; or the text's problems. */
type RequestReading =
  | { ok: true; request: EnteredRequest; shown: JsonObject }
  | { ok: false; problems: TextProblem[] }

/**
 * Parses a request that may be unfinished, as the form may be: members may be missing or empty, but not unknown or of
 * the wrong type. Other errors of a value are shown at its field.
 */
export function readRequest(text: string, language: CodeLanguage, known: KnownSecrets): RequestReading {
  const read = languages[language].read(text)
  if (!read.ok) return { ok: false, problems: [read.problem] }
  const problem = (path: Path, message: string): TextProblem => ({ ...read.positionOf(path), message })
  if (!isJsonObject(read.value)) {
    return { ok: false, problems: [problem([], 'A request is an object with the fields name, source, …')] }
  }
  const { name = '', source, source_config = {}, source_revision_config = {}, secrets = [] } = read.value
  const shown = {
    ...read.value,
    name,
    source,
    source_config,
    source_revision_config,
    secrets: Array.isArray(secrets)
      ? secrets.map((secret: unknown) => (isJsonObject(secret) ? { name: '', value: '', ...secret } : secret))
      : secrets,
  }
  const request = {
    ...unmaskedUrls(shown, known.before),
    secrets: Array.isArray(shown.secrets) ? unmask(shown.secrets, known) : secrets,
  }
  const problems = [
    ...shapeIssues(request)
      .filter(({ issue, path }) => !isForTheForm(issue, path, request))
      .map(({ path, message }) => problem(path, message)),
    ...textsIn(request)
      .filter((one) => one.text.includes(mask))
      .map(({ path }) => problem(path, 'This mask has no stored value. Enter the value.')),
  ]
  if (problems.length === 0) return { ok: true, request: request as unknown as EnteredRequest, shown }
  return {
    ok: false,
    problems: problems.sort((one, other) => one.line - other.line || one.column - other.column),
  }
}

/**
 * The draft after its request was replaced by text. Fields that the form keeps without sending stay, unless the text's
 * source sends them.
 */
export function draftWith(before: Draft, request: EnteredRequest): Draft {
  const after = draftOf(request)
  const { source } = after.entered
  for (const name of fieldNames) {
    const previous = isSent(before, name) ? undefined : valueOf(before.entered, name)
    if (previous !== undefined && !isSent(after, name)) {
      setValueAt(after.entered, fields[name].path, copyJson(previous))
    }
  }
  const stillWanted = before.alsoSent.filter((name) => !isUsual(name, source))
  return { ...after, alsoSent: [...new Set([...after.alsoSent, ...stillWanted])] }
}

/** Whether the form shows the problem itself: a missing member or an invalid value. */
function isForTheForm({ code }: Issue, path: Path, request: JsonObject): boolean {
  if (['too_small', 'too_big', 'invalid_format', 'custom', 'not_multiple_of'].includes(code)) return true
  if (code === 'unrecognized_keys') return false
  return path[0] !== 'source' && path.length > 1 && valueAt(request, path) === undefined
}
