import { createRequestSchema, isKnownSource, requestSchemas } from '@contract'
import { draftOf, emptyDraft } from './draft'
import { type JsonText, readJson } from '../text/json'
import { conform, leftOut, listed, type Prefilled, readOnlyMembers } from './prefill'
import { mask } from './mask-secrets'
import { isJsonObject, type JsonObject, type Path } from '../text/json-path'
import { wantedAt } from '../text/wanted'
import { readYaml } from '../text/yaml'

/** A draft that was read from a file, or what is wrong with the file and where. */
export type FileReading = { ok: true; prefilled: Prefilled } | { ok: false; message: string }

/**
 * Reads a request, or a deployment as a service answers it, from a file. Members that a request can't have are left
 * out and listed in the notes.
 */
export function draftFromFile(fileName: string, fileText: string): FileReading {
  const text = fileText.replace(/^\ufeff/, '')
  const read = readFile(fileName, text)
  if (!read.ok) {
    return {
      ok: false,
      message: `Line ${read.position.line}, column ${read.position.column}: ${read.message}.`,
    }
  }
  if (!isJsonObject(read.value) || !members.some((name) => Object.hasOwn(read.value as object, name))) {
    return { ok: false, message: `It has none of a request's members: ${members.join(', ')}.` }
  }
  return { ok: true, prefilled: prefilledFrom(fileName, read.value) }
}

const members = Object.keys(createRequestSchema.shape)

/** JSON has its own reader: YAML's would accept nearly all of it, but describe errors by YAML's rules. */
const readFile = (fileName: string, text: string): JsonText =>
  /\.json$/i.test(fileName) || /^\s*\{/.test(text) ? readJson(text, wantedAt) : readYaml(text, wantedAt)

function prefilledFrom(fileName: string, value: JsonObject): Prefilled {
  const notes: string[] = []
  const { source: fallback } = emptyDraft('cloud').entered
  const source = typeof value.source === 'string' && isKnownSource(value.source) ? value.source : fallback
  if (source !== value.source) notes.push("Source: the file has none of the interface's sources.")

  const config = conform(objectOf(value.source_config), requestSchemas.sourceConfig, ['source_config'])
  const revision = conform(objectOf(value.source_revision_config), requestSchemas.sourceRevisionConfig, [
    'source_revision_config',
  ])
  const references = conform(
    Array.isArray(value.secret_references) ? value.secret_references : [],
    createRequestSchema.shape.secret_references,
    ['secret_references'],
  )
  const secrets = secretsOf(value.secrets)
  const draft = draftOf({
    name: typeof value.name === 'string' ? value.name : '',
    source,
    source_config: config.value,
    source_revision_config: revision.value,
    secrets,
    ...(references.value?.length ? { secret_references: references.value } : {}),
  })

  const empty = secrets.filter((secret) => secret.value === '').map(({ name }) => name)
  if (empty.length > 0) notes.push(`Secret values: the file has none for ${listed(empty)}. Enter them.`)
  const isReadOnly = (name: string): boolean => readOnlyMembers.includes(name)
  const unknown = Object.keys(value).filter((name) => !members.includes(name))
  const ofDeployment = unknown.filter(isReadOnly)
  if (ofDeployment.length > 0) {
    notes.push('Name: it is that of a deployment. If that is still there, choose another.')
    notes.push(`Fields that only the service sets: ${ofDeployment.join(', ')}.`)
  }
  const parts = [config, revision, references]
  const others: Path[] = unknown.filter((name) => !isReadOnly(name)).map((name) => [name])
  notes.push(
    ...leftOut(
      draft,
      [...others, ...parts.flatMap((part) => part.unknown)],
      parts.flatMap(({ wrong }) => wrong),
    ),
  )
  return { draft, title: `Imported from ${fileName}. Not copied:`, notes }
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** The secrets of a file. A mask, which the text beside the form shows, counts as no value. */
function secretsOf(value: unknown): { name: string; value: string }[] {
  if (!Array.isArray(value)) return []
  return value.filter(isJsonObject).map((secret) => ({
    name: typeof secret.name === 'string' ? secret.name : '',
    value: typeof secret.value === 'string' && secret.value !== mask ? secret.value : '',
  }))
}
