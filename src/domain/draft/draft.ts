import {
  availableSources,
  type CreateRequest,
  type EnvironmentMode,
  type Secret,
  type Source,
} from '@contract'
import { type FieldName, fieldNames, fields } from './fields'
import { copyJson, isJsonObject, type JsonObject, setValueAt, valueAt } from '../text/json-path'

/**
 * What has been entered, in the shape of the request, so that nothing is lost on the way to it or back. A member
 * that is not filled in is absent. Where the request wants a number or a free-form object, a text stands for
 * what has been typed but cannot be read yet; the check says so and nothing is sent.
 */
export interface EnteredRequest {
  name: string
  source: Source
  source_config: JsonObject
  source_revision_config: JsonObject
  secrets: Secret[]
  secret_references?: JsonObject[] | null
}

/** A creation that has been begun. */
export interface Draft {
  entered: EnteredRequest
  /** Fields that are sent although they are not usual for the source, because someone asked for it. */
  alsoSent: FieldName[]
}

/** An empty draft, on the first source that the environment's mode allows. */
export function emptyDraft(mode: EnvironmentMode): Draft {
  const source = availableSources(mode)[0] ?? 'repohost'
  const draft: Draft = {
    entered: { name: '', source, source_config: {}, source_revision_config: {}, secrets: [] },
    alsoSent: [],
  }
  giveDefaults(draft)
  return draft
}

/** A draft of a request; `requestOf` gives the same request back. */
export function draftOf(request: CreateRequest): Draft {
  const entered = copyJson(request) as EnteredRequest
  const alsoSent = fieldNames.filter(
    (name) => valueOf(entered, name) !== undefined && !isUsual(name, entered.source),
  )
  return { entered, alsoSent }
}

/**
 * What the draft sends: what is filled in, without the fields that are neither usual for its source nor asked for.
 * It is a request only when `check` finds no error.
 */
export function requestOf(draft: Draft): CreateRequest {
  const request = copyJson(draft.entered)
  for (const name of fieldNames) {
    if (!isSent(draft, name)) setValueAt(request, fields[name].path, undefined)
  }
  return request as unknown as CreateRequest
}

/** The value of a field of the form; undefined when it is not filled in. */
export function valueOf(entered: EnteredRequest, name: FieldName): unknown {
  return valueAt(entered, fields[name].path)
}

export function isUsual(name: FieldName, source: Source): boolean {
  return fields[name].usualFor.includes(source)
}

/** Whether the form shows the field and the request carries it. */
export function isSent(draft: Draft, name: FieldName): boolean {
  return isUsual(name, draft.entered.source) || draft.alsoSent.includes(name)
}

/** The fields that are filled in but not sent, because the source was changed. */
export function unsentFields(draft: Draft): FieldName[] {
  return fieldNames.filter((name) => !isSent(draft, name) && isFilled(valueOf(draft.entered, name)))
}

/** Changes the source: the fields follow it, and what is not usual for it is kept without being sent. */
export function changeSource(draft: Draft, source: Source): void {
  draft.entered.source = source
  draft.alsoSent = []
  giveDefaults(draft)
}

/** Sends a field that is not usual for the source, or stops sending it. */
export function sendAlso(draft: Draft, name: FieldName, send: boolean): void {
  draft.alsoSent = draft.alsoSent.filter((other) => other !== name)
  if (send) draft.alsoSent.push(name)
}

/** What a draft is called; `number` tells those without a name apart. */
export const draftName = ({ entered }: Draft, number: number): string =>
  entered.name || `Unnamed draft ${number}`

/** Whether nothing has been entered: such a draft is replaced without a word. */
export function isUntouched(draft: Draft): boolean {
  const { name, secrets } = draft.entered
  return (
    name === '' &&
    secrets.length === 0 &&
    !fieldNames.some((field) => isFilled(valueOf(draft.entered, field)))
  )
}

/** Services want a resource spec for an external image, which may be empty. */
function giveDefaults({ entered }: Draft): void {
  if (entered.source === 'external_docker' && entered.source_config.resource_spec === undefined) {
    entered.source_config.resource_spec = {}
  }
}

/** An empty object or list is filled in, strictly speaking, but nothing that anyone typed. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value !== undefined
}
