import {
  createRequestSchema,
  type Deployment,
  type EnvironmentMode,
  hiddenValue,
  isKnownSource,
  numberMeant,
  type Repository,
  requestSchemas,
  volumeKinds,
} from '@contract'
import { shownText } from '@contract/core/text'
import { type LabelledMember, memberLabels } from '@domain/labels/member-labels'
import { type Draft, draftOf, emptyDraft } from './draft'
import { dotted, fields } from './fields'
import { type Issue, pathsOf, type Schema } from './schema-issues'
import { wantedAt } from '../text/wanted'
import { copyJson, isJsonObject, type Path, pathKey, setValueAt, valueAt } from '../text/json-path'

/** A draft that was filled in from something else. */
export interface Prefilled {
  draft: Draft
  /** The heading of the notes. */
  title: string
  /** What couldn't be copied, and what the operator has to check. */
  notes: string[]
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
  const notes: string[] = []
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name as keyof typeof values]
    if (value === null) notes.push(`${field.label}: the listing has no value for it.`)
    else setValueAt(draft.entered, field.path, value)
  }
  notes.push(...hiddenNotes(emptyHidden(draft.entered)))
  return {
    draft,
    title: `From the repository ${shownText(repository.name, { max: 60 })}. Not copied:`,
    notes,
  }
}

/**
 * A draft of a new deployment like `deployment`.
 *
 * @param name its name; empty if the operator has to choose one
 */
export function draftFromDeployment(deployment: Deployment, mode: EnvironmentMode, name = ''): Prefilled {
  const notes =
    name === ''
      ? ["Name: it can't be changed later, and each deployment needs its own. Choose a new one."]
      : []
  const base = emptyDraft(mode)
  const source = isKnownSource(deployment.source) ? deployment.source : base.entered.source
  if (source !== deployment.source) {
    notes.push(`Source: Slipway doesn't know "${deployment.source}".`)
  }

  const config = conform(deployment.source_config, requestSchemas.sourceConfig, ['source_config'])
  const revision = conform(deployment.source_revision_config, requestSchemas.sourceRevisionConfig, [
    'source_revision_config',
  ])
  const references = conform(
    deployment.secret_references ?? [],
    createRequestSchema.shape.secret_references,
    ['secret_references'],
  )
  const secrets = deployment.secrets.flatMap((secret) =>
    secret.name ? [{ name: secret.name, value: '' }] : [],
  )

  const hidden = emptyHidden({
    source_config: config.value,
    source_revision_config: revision.value,
    secret_references: references.value ?? [],
    secrets,
  })

  const draft = draftOf({
    name,
    source,
    source_config: config.value,
    source_revision_config: revision.value,
    secrets,
    ...(references.value?.length ? { secret_references: references.value } : {}),
  })
  // A service also sets members on its own, such as the custom URL. Unusual ones are kept but not sent.
  draft.alsoSent = []

  const named = secrets.map((secret) => secret.name).filter((one) => one !== '')
  if (named.length > 0) {
    notes.push(`Secret values: only the names could be taken (${listed(named)}). Enter the values again.`)
  }
  notes.push(...hiddenNotes(hidden))
  notes.push(
    `Fields that only the service sets: ${readOnlyPaths.map((path) => memberLabels[path]).join(', ')}.`,
  )
  const parts = [config, revision, references]
  const unknown = [...unknownMembers(deployment), ...parts.flatMap((part) => part.unknown)]
  notes.push(
    ...leftOut(
      draft,
      unknown.filter((path) => path.at(-1) !== 'repo_commit_sha'),
      parts.flatMap(({ wrong }) => wrong),
    ),
  )
  return { draft, title: `Cloned from ${shownText(deployment.name, { max: 60 })}. Not copied:`, notes }
}

const hiddenNotes = (hidden: Path[]): string[] =>
  hidden.length > 0
    ? [`Hidden values: Slipway hides them in answers. Enter them again in ${listed(hidden.map(dotted))}.`]
    : []

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

/** The names of those members. */
export const readOnlyMembers: readonly string[] = readOnlyPaths.map((path) => path.split('.').at(-1)!)

const sendable = Object.keys(createRequestSchema.shape)

function unknownMembers(deployment: Deployment): Path[] {
  return Object.keys(deployment)
    .filter((name) => !sendable.includes(name) && !readOnlyMembers.includes(name))
    .map((name) => [name])
}

/** How many names a note lists. It only counts the others. */
const maxNamed = 20

/** Names for a note. An answer or a file may have any number of them. */
export function listed(all: string[]): string {
  const first = all.slice(0, maxNamed).join(', ')
  return all.length > maxNamed ? `${first} and ${all.length - maxNamed} more` : first
}

/** A part of an answer or a file as a request accepts it. */
export interface Conformed<Output> {
  value: Output
  /** The paths of members that no request has. */
  unknown: Path[]
  /** The members whose values a request can't have. */
  wrong: { path: Path; value: unknown }[]
}

/**
 * Reduces an answered value to what a request accepts. Drops null members, because they mean that nothing is set. Drops
 * members that the schema refuses, and lists their paths in the answer. The schema runs at most once for each level,
 * however many members it refuses.
 */
export function conform<Output>(answered: object, schema: Schema<Output>, base: Path): Conformed<Output> {
  const holder = { value: withoutNulls(copyJson(answered)) }
  const places: Places = new Map()
  const unknown: Path[] = []
  const wrong: { path: Path; value: unknown }[] = []
  for (;;) {
    const result = schema.safeParse(holder.value)
    if (result.success) return { value: result.data, unknown, wrong }
    const unwanted = innermostOf(result.error.issues, holder.value)
    const unrecognized = new Set(
      result.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys' ? pathsOf(issue).map(pathKey) : [],
      ),
    )
    for (const path of unwanted) {
      const at = [...base, ...answeredPath(path, holder.value, places)]
      if (unrecognized.has(pathKey(path))) unknown.push(at)
      else wrong.push({ path: at, value: valueAt(holder.value, path) })
    }
    takeAway(unwanted, holder, places)
  }
}

/**
 * Notes about what `conform` left out. Texts in place of numbers are entered, so that their fields say what is wrong
 * with them, and which number is meant.
 */
export function leftOut(draft: Draft, unknown: Path[], wrong: { path: Path; value: unknown }[]): string[] {
  const texts = wrong.filter(({ path, value }) => typeof value === 'string' && wantedAt(path) === 'number')
  for (const { path, value } of texts) setValueAt(draft.entered, path, value)
  const described = wrong.map(({ path, value }) => {
    const meant = typeof value === 'string' ? numberMeant(String(path.at(-1)), value) : null
    const isOffered = wantedAt(path) === 'number' && meant !== null
    return isOffered ? `${dotted(path)} (${String(value).trim()}; ${meant} is meant)` : dotted(path)
  })
  return [
    ...(unknown.length > 0 ? [`Fields that a request can't have: ${listed(unknown.map(dotted))}.`] : []),
    ...(described.length > 0 ? [`Wrong values: ${listed(described)}.`] : []),
  ]
}

/** The original indexes of the items that remain in a list. */
type Places = Map<unknown[], number[]>

/**
 * The refused members that don't contain another refused one. Once they are removed, the schema may accept their
 * parents.
 */
function innermostOf(issues: Issue[], value: unknown): Path[] {
  const refused = new Map(
    issues.flatMap(pathsOf).map((path) => {
      const there = present(value, path)
      return [pathKey(there), there]
    }),
  )
  const holders = new Set(
    [...refused.values()].flatMap((path) => path.map((_part, length) => pathKey(path.slice(0, length)))),
  )
  return [...refused].filter(([key]) => !holders.has(key)).map(([, path]) => path)
}

/** The path itself if it exists. Otherwise the path of the object that lacks the member and is useless without it. */
function present(value: unknown, path: Path): Path {
  return path.length === 0 || valueAt(value, path) !== undefined ? path : present(value, path.slice(0, -1))
}

/** The path in the answer, before items were removed. */
const answeredPath = (path: Path, value: unknown, places: Places): Path =>
  path.map((part, length) => {
    const list = valueAt(value, path.slice(0, length))
    return Array.isArray(list) && typeof part === 'number' ? (places.get(list)?.[part] ?? part) : part
  })

/** Removes members in place. List items come last and together, because each shifts the ones after it. */
function takeAway(unwanted: Path[], holder: { value: unknown }, places: Places): void {
  const items = new Map<unknown[], Set<number>>()
  for (const path of unwanted) {
    const list = valueAt(holder.value, path.slice(0, -1))
    const last = path.at(-1)
    if (!Array.isArray(list) || typeof last !== 'number') setValueAt(holder, ['value', ...path], undefined)
    else items.set(list, (items.get(list) ?? new Set()).add(last))
  }
  for (const [list, gone] of items) {
    const stay = [...list.keys()].filter((index) => !gone.has(index))
    const before = places.get(list)
    places.set(
      list,
      stay.map((index) => before?.[index] ?? index),
    )
    stay.forEach((from, to) => (list[to] = list[from]))
    list.length = stay.length
  }
}

/** Members whose objects the operator defines. A null in them has a meaning. */
const freeForm = new Set<string>([
  ...volumeKinds,
  'labels',
  'annotations',
  'valueFrom',
  'envFrom',
  'limits',
  'requests',
  'securityContext',
])

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    members.map(([name, member]) => [name, freeForm.has(name) ? member : withoutNulls(member)]),
  )
}
