import {
  availableSources,
  type CreateRequest,
  type DraftContent,
  type EnvironmentMode,
  replaceUrlCredentials,
  type Secret,
  type Source,
  urlCredentialsIn,
} from '@contract'
import {
  copyJson,
  isJsonObject,
  type JsonObject,
  type Path,
  setValueAt,
  valueAt,
} from '@/ui/format/json-path'
import { type FieldName, fieldNames, fields } from './fields'
import { trimBlanks } from '@contract/core/text'
import { wantedAt } from './wanted'

/**
 * What was entered, in the shape of the request, so that nothing is lost in either direction. Empty members are absent.
 * If the request has a number or a free-form object and the entry can't be read yet, it stays a text. Validation
 * reports it, and nothing is sent.
 */
export type EnteredRequest = {
  name: string
  source: Source
  source_config: JsonObject
  source_revision_config: JsonObject
  secrets: Secret[]
  secret_references?: JsonObject[] | null
}

/** A draft of a creation. */
export type Draft = {
  entered: EnteredRequest
  /** Fields that are unusual for the source but are sent at the operator's request. */
  alsoSent: FieldName[]
}

/** An empty draft with the first source that the environment's mode allows. */
export function emptyDraft(mode: EnvironmentMode): Draft {
  const source = availableSources(mode)[0] ?? 'repohost'
  const draft: Draft = {
    entered: { name: '', source, source_config: {}, source_revision_config: {}, secrets: [] },
    alsoSent: [],
  }
  giveDefaults(draft)
  return draft
}

/** A draft of a request. `requestOf` returns the same request. */
export function draftOf(request: EnteredRequest): Draft {
  const entered = copyJson(request)
  const alsoSent = fieldNames.filter(
    (name) => valueOf(entered, name) !== undefined && !isUsual(name, entered.source),
  )
  return { entered, alsoSent }
}

/**
 * The request of a draft: everything that is filled in, except for fields that are unusual for its source and weren't
 * requested, and for blanks at the ends of texts that can't have any. It is valid only if `check` finds no error.
 */
export function requestOf(draft: Draft): CreateRequest {
  const request = copyJson(draft.entered)
  for (const name of fieldNames) {
    if (!isSent(draft, name)) setValueAt(request, fields[name].path, undefined)
  }
  return withoutBlanks(request) as unknown as CreateRequest
}

/** The value of a form field; undefined if it is empty. */
export function valueOf(entered: EnteredRequest, name: FieldName): unknown {
  return valueAt(entered, fields[name].path)
}

export function isUsual(name: FieldName, source: Source): boolean {
  return fields[name].usualFor.includes(source)
}

/** Whether the form shows the field and the request has it. */
export function isSent(draft: Draft, name: FieldName): boolean {
  return isUsual(name, draft.entered.source) || draft.alsoSent.includes(name)
}

/** Fields that are filled in but not sent, because the source was changed. */
export function unsentFields(draft: Draft): FieldName[] {
  return fieldNames.filter((name) => !isSent(draft, name) && isFilled(valueOf(draft.entered, name)))
}

/** Changes the source. Fields that are unusual for it keep their values but aren't sent. */
export function changeSource(draft: Draft, source: Source): void {
  draft.entered.source = source
  draft.alsoSent = []
  giveDefaults(draft)
}

/** Sends a field that is unusual for the source. */
export function sendAlso(draft: Draft, name: FieldName): void {
  draft.alsoSent.push(name)
}

/** A draft's name. `number` distinguishes drafts without one. */
export const draftName = ({ entered }: Draft, number: number): string =>
  entered.name || `Unnamed draft ${number}`

/** Whether nothing was entered. Such a draft is replaced without a question. */
export const isUntouched = ({ entered }: Draft): boolean =>
  !fieldNames.some((name) => name !== 'source' && isFilled(valueOf(entered, name)))

/** Services require a resource spec for an external image, but it may be empty. */
function giveDefaults({ entered }: Draft): void {
  if (entered.source === 'external_docker' && entered.source_config.resource_spec === undefined) {
    entered.source_config.resource_spec = {}
  }
}

/** Whether a value counts as entered. Empty texts, objects and lists don't. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== ''
}

/** The draft of a saved content. */
export const draftOfContent = (content: DraftContent): Draft => copyJson(content) as unknown as Draft

/**
 * A draft's content for a template: without the name, which belongs to one deployment, and without values of secrets.
 */
export function templateContent({ entered, ...draft }: Draft): DraftContent {
  const secrets = entered.secrets.map((secret) => ({ ...secret, value: '' }))
  return copyJson({ ...draft, entered: { ...entered, name: '', secrets } })
}

/** The names of the secrets that have values, entered now or stored before. */
export const namesWithValues = ({ entered }: Draft): string[] =>
  entered.secrets.filter(({ value }) => value !== '').map(({ name }) => name || 'unnamed')

/** Replaces a secret's value wherever a request is shown. It doesn't reveal the value's length. */
export const mask = '••••••••'

/** A request for display, with all values of secrets masked, and the credentials in its URLs. */
export function masked<Request extends EnteredRequest>(request: Request): Request {
  return {
    ...eachText(request, maskedUrls),
    secrets: request.secrets.map((secret) => ({ ...secret, value: secret.value === '' ? '' : mask })),
  }
}

/** A text for display, with the credentials in its URLs masked. */
export const maskedUrls = (text: string): string => replaceUrlCredentials(text, () => mask)

/** A request for a file: without values of secrets and without the credentials in its URLs. */
export function withoutSecretValues(request: CreateRequest): CreateRequest {
  return {
    ...eachText(request, (text) => replaceUrlCredentials(text, () => '').replaceAll('//@', '//')),
    secrets: request.secrets.map((secret) => ({ ...secret, value: '' })),
  }
}

/**
 * A value with each of its texts changed.
 *
 * @param rename changes the names of members
 */
function eachText<T>(
  value: T,
  change: (text: string, path: Path) => string,
  rename = (name: string): string => name,
  path: Path = [],
): T {
  const inside = (member: unknown, name: string | number): unknown =>
    eachText(member, change, rename, [...path, name])
  if (typeof value === 'string') return change(value, path) as T
  if (Array.isArray(value)) return value.map(inside) as T
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [rename(name), inside(member, name)])
  return Object.fromEntries(members) as T
}

/** The texts in a value. */
export function textsIn(value: unknown): { text: string; path: Path }[] {
  const found: { text: string; path: Path }[] = []
  eachText(value, (text, path) => {
    found.push({ text, path })
    return text
  })
  return found
}

/**
 * A request as it was typed, with the credentials of `before` in place of the masks in its URLs. A mask that stands for
 * none stays.
 */
export function unmaskedUrls<T>(typed: T, before: unknown): T {
  return eachText(typed, (text, path) => {
    const now = text.includes(mask) && path[0] !== 'secrets' ? valueAt(before, path) : null
    const known = typeof now === 'string' ? urlCredentialsIn(now) : []
    if (known.length !== text.split(mask).length - 1) return text
    return known.reduce((rest, credential) => rest.replace(mask, () => credential.text), text)
  })
}

/** Texts that may begin or end with a blank on purpose, by the member that they are in. */
const anyText = ['value', 'values', 'command', 'args', 'annotations', 'volumeAttributes']

function mayHaveBlanks(path: Path): boolean {
  const names = path.filter((part) => typeof part === 'string')
  return wantedAt(path) !== 'text' || names.slice(-2).some((name) => anyText.includes(name))
}

/** The text of a member, without blanks at its ends if it can't be meant to have any. */
export function textAt(path: Path, text: string): string {
  const trimmed = trimBlanks(text)
  return trimmed === text || mayHaveBlanks(path) ? text : trimmed
}

/** A request without blanks at the ends of texts and names that can't be meant to have any. */
export const withoutBlanks = <T>(request: T): T =>
  eachText(request, (text, path) => textAt(path, text), trimBlanks)

/** The texts of a request that begin or end with a blank. Line breaks at the end of several lines don't count. */
export const withBlanks = (request: unknown): { path: Path; at: 'Begins' | 'Ends' }[] =>
  textsIn(request).flatMap(({ text: whole, path }) => {
    const text = whole.includes('\n', 1) && path[0] !== 'secrets' ? whole.replace(/\n+$/, '') : whole
    const trimmed = trimBlanks(text)
    if (trimmed === text || trimmed === '') return []
    return [{ path, at: text.endsWith(trimmed) ? ('Begins' as const) : ('Ends' as const) }]
  })
