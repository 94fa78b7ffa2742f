import { answerLimits } from '@contract/deployment-api/list'
import { withoutSecretValues } from '@contract/deployment-api/reading/secret-values'
import { shorten } from '@contract/deployment-api/reading/summarise'
import { listenerLabels } from '../labels/member-labels'
import { itemLabel, type MemberLabels, specMembers } from '../labels/resource-spec-labels'
import { isObject, itemsOf, keyWithin } from './items'
import { memberAt, type PlacedMember, specMemberAt } from './members'

/** Where a side comes from. */
export interface Origin {
  /** Whether it is a deployment as a service answered it, or a request that a service may get. */
  kind: 'answer' | 'request'
  /** The environment whose service answered it, or would get it; null if none is known. */
  environmentId: string | null
}

/** A field of a side: something that can be the same or differ. */
export interface Field {
  /**
   * Where it is, independent of the order of lists, so that it is the same on both sides:
   * `source_config.resource_spec.sidecars["proxy"].image`.
   */
  key: string
  member: PlacedMember
  /** What it is called, from its member inwards: "Sidecar proxy", "Image". */
  labels: readonly string[]
  /** A text, number, boolean, a list of those, or an empty list or object. Of a secret, its name. */
  value: unknown
}

/** The fields of a side. No field has the value of a secret. */
export interface Side extends Origin {
  /** Ordered by group, member and key. */
  fields: readonly Field[]
  /** The members that the document has, be they null. */
  reported: ReadonlySet<string>
  document: object
  /** Whether it was cut because it is too large. */
  shortened: boolean
}

/**
 * Takes a deployment, as JSON of the service, or a request apart. Values of secrets are removed first.
 *
 * @returns null if it is no object, or nested too deeply
 */
export function readSide(document: unknown, { kind, environmentId }: Origin): Side | null {
  const harmless = withoutSecrets(document)
  if (!isObject(harmless)) return null
  const { value, shortened } = shorten(harmless, answerLimits.detail)
  const whole = value as object
  const found: Found = { fields: [], reported: new Set() }
  for (const [name, member] of Object.entries(whole)) {
    if (configs.has(name) && isObject(member)) takeConfig(member, name, found)
    else takeMember(member, keyWithin('', name), found)
  }
  found.fields.sort(byPlace)
  return { kind, environmentId, ...found, document: whole, shortened }
}

/** By group, member and key, so that both sides have one order. */
export function byPlace(one: Field, other: Field): number {
  return one.member.place - other.member.place || (one.key < other.key ? -1 : Number(one.key > other.key))
}

interface Found {
  fields: Field[]
  reported: Set<string>
}

/** Where a value is, and how what is inside it is called; undefined where people or Kubernetes chose the names. */
interface At {
  key: string
  name: string
  member: PlacedMember
  labels: readonly string[]
  inside: MemberLabels | undefined
}

function withoutSecrets(document: unknown): unknown {
  try {
    return withoutSecretValues(document)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Objects whose members each are a field of their own. */
const configs: ReadonlySet<string> = new Set(['source_config', 'source_revision_config'])

const referenceLabels: MemberLabels = (name) => ({
  label: { name: 'Name', secret_name: 'Secret name', secret_key: 'Secret key' }[name] ?? name,
  members: undefined,
})

const labelsInside = new Map<string, MemberLabels>([
  ['secrets', referenceLabels],
  ['secret_references', referenceLabels],
  ['source_config.listener_config', listenerLabels],
])

function takeConfig(config: object, name: string, found: Found): void {
  for (const [inner, value] of Object.entries(config)) {
    const key = keyWithin(name, inner)
    if (key === 'source_config.resource_spec' && isObject(value)) takeSpec(value, key, found)
    else takeMember(value, key, found)
  }
}

function takeSpec(spec: object, key: string, found: Found): void {
  found.reported.add(key)
  const labels = specMembers([])
  for (const [name, value] of Object.entries(spec)) {
    const { label, members } = labels(name)
    const member = specMemberAt(name, label)
    take(value, { key: keyWithin(key, name), name, member, labels: [member.label], inside: members }, found)
  }
}

function takeMember(value: unknown, key: string, found: Found): void {
  found.reported.add(key)
  const member = memberAt(key)
  // An empty text sets none of these.
  if (value === '' && member.group !== 'other') return
  take(value, { key, name: key, member, labels: [member.label], inside: labelsInside.get(key) }, found)
}

function take(value: unknown, at: At, found: Found): void {
  if (value === null || value === undefined) return
  if (Array.isArray(value)) takeList(value, at, found)
  else if (typeof value === 'object') takeObject(value, at, found)
  else addField(value, at, found)
}

const addField = (value: unknown, { key, member, labels }: At, found: Found): void => {
  found.fields.push({ key, member, labels, value })
}

function takeList(list: readonly unknown[], at: At, found: Found): void {
  if (!list.some(isObject)) {
    if (list.length > 0 || at.inside === undefined) addField(list, at, found)
    return
  }
  const outer = at.labels.slice(0, -1)
  const called = at.member.path === at.key ? at.member.label : itemLabel(at.name)
  for (const { part, name, item } of itemsOf(list, at.name)) {
    const inItem: At = { ...at, key: at.key + part, labels: [...outer, `${called} ${name}`] }
    if (at.key === 'secrets') addField(name, inItem, found)
    else if (at.name === 'env' && at.inside) takeVariable(item, inItem, found)
    else take(item, inItem, found)
  }
}

/**
 * Objects that set nothing while they are empty. Others, such as a volume's `emptyDir`, mean something even if empty.
 */
const groupsOnly: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'limits', 'requests', 'resources', 'valueFrom', 'securityContext'],
  ...[
    'source_config',
    'source_revision_config',
    'source_config.resource_spec',
    'source_config.listener_config',
  ],
])

function takeObject(value: object, at: At, found: Found): void {
  const members = Object.entries(value)
  if (members.length === 0 && at.inside === undefined && !groupsOnly.has(at.name)) addField(value, at, found)
  for (const [name, member] of members) takeInner(name, member, at, found)
}

function takeInner(name: string, value: unknown, at: At, found: Found): void {
  const { label, members } = at.inside?.(name) ?? { label: name, members: undefined }
  const labels = [...at.labels, label]
  take(value, { key: keyWithin(at.key, name), name, member: at.member, labels, inside: members }, found)
}

/** An environment variable is one field, unless its value comes from elsewhere. */
function takeVariable(item: unknown, at: At, found: Found): void {
  if (!isObject(item)) {
    take(item, at, found)
    return
  }
  const { name: _name, value, ...others } = item as { name?: unknown; value?: unknown }
  const before = found.fields.length
  for (const [inner, member] of Object.entries(others)) takeInner(inner, member, at, found)
  const isElsewhere = found.fields.length > before
  if (!isElsewhere || (value !== null && value !== undefined)) take(value ?? '', at, found)
}
