import {
  type CreateRequest,
  createRequestSchema,
  type Deployment,
  type DraftTemplate,
  type EnvironmentMode,
  hiddenValue,
  isKnownSource,
  modeLabels,
  numberMeant,
  type Repository,
  type Secret,
  sourceAvailability,
  sourceLabels,
} from '@contract'
import { shownText } from '@contract/core/text'
import { type LabelledMember, memberLabels } from '@domain/labels/member-labels'
import { bareSchema, type Described, wantedAt } from './wanted'
import { copyJson, isJsonObject, type JsonObject, type Path, setValueAt } from '@/ui/format/json-path'
import { compact } from '@/ui/format/words'
import { readFreeText } from './free-form'
import { problemText } from './text'
import {
  type Draft,
  draftOf,
  draftOfContent,
  emptyDraft,
  isSent,
  mask,
  namesWithValues,
  valueOf,
} from './draft'
import { dotted, fieldNames, fields } from './fields'

/** A draft that was filled in from something else. */
export interface Prefilled {
  draft: Draft
  /** The heading of the notes. */
  title: string
  /** What couldn't be copied, and what the operator has to check. */
  notes: string[]
}

/** A draft from a template. */
export function draftFromTemplate({ name, content }: DraftTemplate): Prefilled {
  const draft = draftOfContent(content)
  const secrets = draft.entered.secrets.map((secret) => secret.name).filter(Boolean)
  return {
    draft,
    title: `From the template "${name}". Not copied:`,
    notes: compact([
      'Name: it belongs to one deployment. Choose a new one.',
      secrets.length > 0 && `Secret values: enter those of ${secrets.join(', ')}.`,
    ]),
  }
}

/**
 * A draft that deploys a repository. Rule 1 of the interface (Create a deployment) says which value of a listed
 * repository goes where.
 */
export function draftFromRepository(repository: Repository, mode: EnvironmentMode): Prefilled {
  const draft = emptyDraft(mode)
  draft.entered.source = 'repohost'
  const values = {
    integration_id: repository.host_integration_id,
    repo_url: repository.url,
    repo_ref: repository.default_branch,
  }
  const missing = Object.entries(values).map(([name, value]) => {
    const field = fields[name as keyof typeof values]
    if (value === null) return `${field.label}: the listing has no value for it.`
    setValueAt(draft.entered, field.path, value)
    return null
  })
  return {
    draft,
    title: `From the repository ${shownText(repository.name, { max: 60 })}. Not copied:`,
    notes: compact([...missing, hiddenNote(emptyHidden(draft.entered))]),
  }
}

/**
 * A draft of a new deployment like `deployment`.
 *
 * @param name its name; empty if the operator has to choose one
 */
export function draftFromDeployment(deployment: Deployment, mode: EnvironmentMode, name = ''): Prefilled {
  const secrets = deployment.secrets.flatMap((secret) =>
    secret.name ? [{ name: secret.name, value: '' }] : [],
  )
  const { draft, isSourceKnown, leftOut } = readRequest({ ...deployment, name, secrets }, mode)
  // A service also sets members on its own, such as the custom URL. Unusual ones are kept but not sent.
  draft.alsoSent = []
  const hidden = emptyHidden(draft.entered)
  const named = draft.entered.secrets.map((secret) => secret.name).filter(Boolean)
  return {
    draft,
    title: `Cloned from ${shownText(deployment.name, { max: 60 })}. Not copied:`,
    notes: compact([
      name === '' && "Name: it can't be changed later, and each deployment needs its own. Choose a new one.",
      !isSourceKnown && `Source: Slipway doesn't know "${deployment.source}".`,
      named.length > 0 &&
        `Secret values: only the names could be taken (${listed(named)}). Enter the values again.`,
      hiddenNote(hidden),
      `Fields that only the service sets: ${readOnlyPaths.map((path) => memberLabels[path]).join(', ')}.`,
      ...leftOut,
    ]),
  }
}

const hiddenNote = (hidden: Path[]): string | false =>
  hidden.length > 0 &&
  `Hidden values: Slipway hides them in answers. Enter them again in ${listed(hidden.map(dotted))}.`

/** A URL's password or token, as it is hidden. The rest of the URL is of use. */
const hiddenInUrl = new RegExp(`(?<=://)${hiddenValue}@`, 'g')

/**
 * Takes hidden values out of texts, which leaves a URL without its password, and removes members with hidden names.
 * Returns their paths.
 */
function emptyHidden(holder: object): Path[] {
  return Object.entries(holder).flatMap(([name, member]: [string, unknown]) => {
    const key = Array.isArray(holder) ? Number(name) : name
    if (name.includes(hiddenValue)) {
      setValueAt(holder, [key], undefined)
      return [[key]]
    }
    if (typeof member === 'string' && member.includes(hiddenValue)) {
      const left = member.replace(hiddenInUrl, '')
      setValueAt(holder, [key], left.includes(hiddenValue) ? '' : left)
      return [[key]]
    }
    return typeof member === 'object' && member !== null
      ? emptyHidden(member).map((path) => [key, ...path])
      : []
  })
}

/** The paths of a deployment's members that only the service sets (interface: Deployment, SourceRevisionConfig). */
const readOnlyPaths: readonly LabelledMember[] = [
  'id',
  'tenant_id',
  'status',
  'created_at',
  'updated_at',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
  'source_revision_config.repo_commit_sha',
]

/** The members of a request. */
const members = Object.keys(createRequestSchema.shape)

const isReadOnly = (path: Path): boolean => readOnlyPaths.some((one) => one === path.join('.'))

/** How many names a note lists. It only counts the others. */
const maxNamed = 20

/** Names for a note. An answer or a file may have any number of them. */
function listed(all: string[]): string {
  const first = all.slice(0, maxNamed).join(', ')
  return all.length > maxNamed ? `${first} and ${all.length - maxNamed} more` : first
}

/** What a request can't have of an answer or a file. */
interface LeftOut {
  /** The paths of members that no request has. */
  unknown: Path[]
  /** The members whose values a request can't have. */
  wrong: { path: Path; value: unknown }[]
}

/** The members that an answer or a file may have in part. */
const inParts = createRequestSchema.omit({ name: true, source: true, secrets: true }).partial()

/**
 * The draft of a deployment or of a file: without null members, which mean that nothing is set, and without what the
 * schema refuses, which the notes in `leftOut` name.
 *
 * @param mode whose first source replaces an unknown one
 */
function readRequest(
  { name, source, secrets, ...others }: JsonObject & { name: string; secrets: Secret[] },
  mode: EnvironmentMode,
) {
  const left: LeftOut = { unknown: [], wrong: [] }
  const { secret_references: references, ...fit } = fitting(
    others,
    inParts,
    [],
    left,
  ) as Partial<CreateRequest>
  const isSourceKnown = typeof source === 'string' && isKnownSource(source)
  const draft = draftOf({
    name,
    source: isSourceKnown ? source : emptyDraft(mode).entered.source,
    source_config: {},
    source_revision_config: {},
    ...fit,
    ...(references?.length ? { secret_references: references } : {}),
    secrets,
  })
  return { draft, isSourceKnown, unknown: left.unknown, leftOut: leftOutNotes(draft, left) }
}

/** What a schema accepts of a value; undefined for nothing. Values of free-form objects stay as they are. */
function fitting(value: unknown, schema: Described, path: Path, left: LeftOut): unknown {
  const bare = bareSchema(schema)
  const { type, shape, element } = bare.def
  if (type === 'array' && element && Array.isArray(value)) {
    return value
      .map((item: unknown, index) => fitting(item, element, [...path, index], left))
      .filter((item) => item !== undefined)
  }
  if (type === 'object' && shape && isJsonObject(value)) {
    const object: JsonObject = {}
    for (const [name, member] of Object.entries(value)) {
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (!known && member !== null) left.unknown.push([...path, name])
      const fit = known && member !== null ? fitting(member, known, [...path, name], left) : undefined
      if (fit !== undefined) object[name] = fit
    }
    // An object that lacks what it needs is useless.
    const needed = Object.entries(shape).filter(([, member]) => !member.safeParse(undefined).success)
    if (needed.every(([name]) => Object.hasOwn(object, name))) return object
  } else if (bare.safeParse(value).success) return value
  left.wrong.push({ path, value })
  return undefined
}

/**
 * Notes about what was left out. Texts in place of numbers are entered, so that their fields say what is wrong with
 * them, and which number is meant.
 */
function leftOutNotes(draft: Draft, left: LeftOut): string[] {
  const unknown = left.unknown.filter((path) => !isReadOnly(path))
  const { wrong } = left
  const texts = wrong.filter(({ path, value }) => typeof value === 'string' && wantedAt(path) === 'number')
  for (const { path, value } of texts) setValueAt(draft.entered, path, value)
  const described = wrong.map(({ path, value }) => {
    const meant = typeof value === 'string' ? numberMeant(String(path.at(-1)), value) : null
    const isOffered = wantedAt(path) === 'number' && meant !== null
    return isOffered ? `${dotted(path)} (${String(value).trim()}; ${meant} is meant)` : dotted(path)
  })
  return compact([
    unknown.length > 0 && `Fields that a request can't have: ${listed(unknown.map(dotted))}.`,
    described.length > 0 && `Wrong values: ${listed(described)}.`,
  ])
}

/** The source or the target of a copy. */
export interface CopyEnd {
  name: string
  mode: EnvironmentMode
}

/**
 * A copy of a draft for another environment. Copies everything, even what isn't allowed there. The notes then say so.
 */
export function copiedDraft(original: Draft, from: CopyEnd, to: CopyEnd): Prefilled {
  const draft = copyJson(original)
  return {
    draft,
    title: `From ${from.name} (${modeLabels[from.mode]}). Check before creating in ${to.name} (${modeLabels[to.mode]}):`,
    notes: differences(draft, to),
  }
}

/**
 * A draft for another environment that is filled in from a deployment.
 *
 * @param name usually the deployment's, since the same agent has one name everywhere; empty if the operator has to
 *   choose one
 */
export function clonedTo(deployment: Deployment, name: string, from: CopyEnd, to: CopyEnd): Prefilled {
  const { draft, notes } = draftFromDeployment(deployment, to.mode, name.includes(hiddenValue) ? '' : name)
  return {
    draft,
    title:
      `Cloned from ${shownText(deployment.name, { max: 60 })} in ${from.name}. ` +
      `Not copied, or to check before creating in ${to.name}:`,
    notes: [...differences(draft, to), ...notes],
  }
}

/** What to check about a draft in another environment. */
export function differences(draft: Draft, to: CopyEnd): string[] {
  const { source } = draft.entered
  const availability = sourceAvailability(source, to.mode)
  const belonging = fieldNames.filter(
    (name) => fields[name].ofOneEnvironment && isSent(draft, name) && valueOf(draft.entered, name),
  )
  const secrets = namesWithValues(draft)
  return compact([
    !availability.available &&
      `Source: ${sourceLabels[source] ?? source} is allowed only in ` +
        `${modeLabels[availability.mode].toLowerCase()} environments. Choose another source.`,
    belonging.length > 0 &&
      `${belonging.map((name) => fields[name].label).join(', ')}: such values belong to one environment. ` +
        'Check that they are right there.',
    secrets.length > 0 &&
      `Secret values (${secrets.join(', ')}): enter them again in ${to.name}. Slipway sends a value only to the ` +
        'environment that it was entered for.',
    draft.entered.name !== '' &&
      'Name: it stays the same until you change it, and so does that of the tracing project.',
  ])
}

/** A draft that was read from a file, or what is wrong with the file and where. */
export type FileReading = { ok: true; prefilled: Prefilled } | { ok: false; message: string }

/**
 * Reads a request, or a deployment as a service answers it, from a file. Members that a request can't have are left
 * out and listed in the notes.
 */
export function draftFromFile(fileName: string, fileText: string): FileReading {
  const read = readFreeText(fileText.replace(/^\ufeff/, ''), [])
  if (!read.ok) return { ok: false, message: problemText(read.problem) }
  const value = isJsonObject(read.value) ? read.value : {}
  if (!members.some((name) => Object.hasOwn(value, name))) {
    return { ok: false, message: `It has none of a request's members: ${members.join(', ')}.` }
  }
  const name = typeof value.name === 'string' ? value.name : ''
  const secrets = secretsOf(value.secrets)
  const { draft, isSourceKnown, unknown, leftOut } = readRequest({ ...value, name, secrets }, 'cloud')
  const empty = secrets.filter((secret) => secret.value === '').map((secret) => secret.name)
  const ofDeployment = unknown.filter(isReadOnly).map(dotted)
  const notes = compact([
    !isSourceKnown && "Source: the file has none of the interface's sources.",
    empty.length > 0 && `Secret values: the file has none for ${listed(empty)}. Enter them.`,
    ofDeployment.length > 0 && 'Name: it is that of a deployment. If that is still there, choose another.',
    ofDeployment.length > 0 && `Fields that only the service sets: ${ofDeployment.join(', ')}.`,
    ...leftOut,
  ])
  return { ok: true, prefilled: { draft, title: `Imported from ${fileName}. Not copied:`, notes } }
}

/** The secrets of a file. A mask, which the text beside the form shows, counts as no value. */
function secretsOf(value: unknown): Secret[] {
  if (!Array.isArray(value)) return []
  return value.filter(isJsonObject).map((secret) => ({
    name: typeof secret.name === 'string' ? secret.name : '',
    value: typeof secret.value === 'string' && secret.value !== mask ? secret.value : '',
  }))
}
