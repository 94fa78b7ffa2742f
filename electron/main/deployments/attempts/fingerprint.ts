import { createHash, createHmac, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  answerLimits,
  type CreateRequest,
  type Deployment,
  type Fingerprint,
  hiddenValue,
  withoutSecretValues,
} from '@contract'
import { shorten } from '@contract/deployment-api/shorten'

type Path = readonly (string | number)[]
type Leaf = string | number | boolean

/** A value that is compared: where it is, and its hash. */
interface Part {
  path: Path
  hash: string
}

/** What an answer may lack without differing: the interface does not promise that it comes back. */
const mayBeMissing: readonly string[] = ['source_config.deployment_type', 'secret_references']

/** Members that are as somebody has set them: no service fills them in. So are the items of `secret_references`. */
const setBySomebody: readonly string[] = ['source_config.install_command', 'source_config.build_command']

/** The same of a list of the resource spec, item by item: inside of an item that was sent, services fill in defaults. */
const listsSetBySomebody: readonly string[] = ['sidecars', 'init_containers', 'volumes']

/** The source of a deployment whose answer lacks it. */
const unknownSource = 'unknown'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of more names of secrets than these, one hash stands for all. */
const mostNames = 100

/** With fewer members than these, beside the source, a request may be somebody else's just as well. */
const fewestMembers = 3

/**
 * Makes of a request what is needed to recognise its deployment later. Of secrets only the names are in it, hashed; the
 * values of environment variables of containers, which are secrets as often as not, are left out as well.
 */
export function fingerprintOf(
  request: CreateRequest,
  salt = randomBytes(16).toString('base64'),
): Fingerprint {
  return {
    salt,
    members: Object.fromEntries(hashesByMember(hashed(request, salt))),
    secretNames: secretNamesOf(request, salt),
  }
}

/** How a deployment compares with what was sent. */
export interface Comparison {
  /** The members of the request in which it differs. */
  differences: string[]
  /** Those of them that it has with another value, and not merely left out. */
  contradictions: string[]
  /** The members in which it has more than was sent that no service fills in. */
  extras: string[]
  /** Whether its containers have environment variables, or those that were sent, whose values are not compared. */
  hasVariables: boolean
  /** Whether secrets were sent, or perhaps: two requests may then differ in what nobody can compare. */
  hasSecrets: boolean
  /** Whether too little was compared to tell it from somebody else's. */
  isThin: boolean
}

/**
 * Compares a deployment with what was sent. What the deployment has beyond that is no difference, since services fill in
 * members by themselves; what they don't fill in is told apart as `extras`. Nor is null, an empty text or an empty list in a request, since it says that nothing is set.
 * The names of secrets must be the same, neither more nor less.
 */
export function compare(fingerprint: Fingerprint, deployment: Deployment): Comparison {
  const known = compared.get(deployment) ?? new WeakMap<Fingerprint, Comparison>()
  compared.set(deployment, known)
  const comparison = known.get(fingerprint) ?? compareAnew(fingerprint, deployment)
  known.set(fingerprint, comparison)
  return comparison
}

/** How long comparing may go on until everything else gets its turn, in milliseconds. */
const turnMs = 10

/**
 * Compares deployments with what was sent, a little in each turn, so that `compare` has the results at hand: many attempts
 * at a name that has a large deployment would stop everything else for seconds.
 */
export async function compareInTurns(
  fingerprints: readonly Fingerprint[],
  deployments: readonly Deployment[],
): Promise<void> {
  let since = performance.now()
  for (const fingerprint of fingerprints) {
    for (const deployment of deployments) {
      compare(fingerprint, deployment)
      if (performance.now() - since < turnMs) continue
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    }
  }
}

/** What was compared: one look compares the same with an attempt itself, and again as the rival of each other. */
const compared = new WeakMap<Deployment, WeakMap<Fingerprint, Comparison>>()

function compareAnew({ salt, members, secretNames }: Fingerprint, deployment: Deployment): Comparison {
  const parts = hashed(deployment, salt)
  const answered = hashesByMember(parts)
  const differences: string[] = []
  const contradictions: string[] = []
  const differ = (member: string, isThere: boolean): void => {
    differences.push(member)
    if (isThere) contradictions.push(member)
  }
  let same = 0
  for (const [member, sent] of Object.entries(members)) {
    const there = new Set(answered.get(member))
    if (there.size === 0 && mayBeMissing.includes(member)) continue
    if (!sent.every((hash) => there.has(hash))) differ(member, there.size > 0)
    else if (member !== 'source') same += 1
  }
  const names = secretNamesOf(deployment, salt)
  if (secretNames !== null && names.join() !== secretNames.join()) differ('secrets', names.length > 0)
  return {
    differences,
    contradictions,
    extras: extrasOf(parts, members, deployment.source),
    hasVariables: hasVariables(deployment),
    hasSecrets: secretNames === null || secretNames.length > 0,
    isThin: same < fewestMembers,
  }
}

/** Whether a request is known to be the one that a fingerprint was made of, as far as that says. */
export function isSameRequest(request: CreateRequest, { salt, members, secretNames }: Fingerprint): boolean {
  const sorted = (of: Fingerprint['members']): [string, string[]][] =>
    Object.entries(of).map(([member, hashes]) => [member, [...hashes].sort()])
  const now = fingerprintOf(request, salt)
  return isDeepStrictEqual(
    [Object.fromEntries(sorted(now.members)), now.secretNames],
    [Object.fromEntries(sorted(members)), secretNames],
  )
}

/**
 * Whether a deployment has the values that a request gives to the environment variables of its containers, and no others.
 * They are compared here, in memory, since fingerprints, which are kept, are without them.
 */
export function hasVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  return isDeepStrictEqual(variablesOf(request), variablesOf(deployment))
}

/** Whether a deployment has another value of an environment variable than a request gives it, and not merely none. */
export function contradictsVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  const answered = variablesOf(deployment)
  return [...variablesOf(request)].some(([path, value]) => {
    const there = answered.get(path) ?? value
    return there !== value && !isMasked(there)
  })
}

/** Whether a value is nothing but a mask, in whose place a service keeps another. */
const isMasked = (value: Leaf): boolean => /^[*•]+$/.test(String(value))

/** The values of environment variables, by where they are. What is hidden, or empty, is none. */
function variablesOf(holder: CreateRequest | Deployment): Map<string, Leaf> {
  const { source_config } = withoutSecretValues(holder)
  return new Map(
    [...leaves({ source_config }, [])].flatMap(({ path, value }) =>
      isVariable(path) && value !== '' && value !== hiddenValue
        ? [[JSON.stringify(path), value] as const]
        : [],
    ),
  )
}

const hasVariables = ({ source_config }: Deployment): boolean =>
  [...leaves({ source_config }, [])].some(({ path }) => path.at(-3) === 'env')

/** The members in which a deployment has something of its own that no service fills in. */
function extrasOf(parts: readonly Part[], sent: Fingerprint['members'], source: string): string[] {
  const known = new Set(Object.values(sent).flat())
  const units = new Map<string, { member: string; isSent: boolean }>()
  for (const { path, hash } of parts) {
    const unit = unitAt(path, source)
    if (unit === null) continue
    const key = JSON.stringify(unit)
    const isSent = known.has(hash) || units.get(key)?.isSent === true
    units.set(key, { member: memberAt(path), isSent })
  }
  return [...new Set([...units.values()].flatMap(({ member, isSent }) => (isSent ? [] : [member])))]
}

/** What a path is in that is set as a whole, or not at all, and by nobody but a person; null where it is in none. */
function unitAt(path: Path, source: string): Path | null {
  const member = memberAt(path)
  if (setBySomebody.includes(member)) return [member]
  if (member === 'secret_references') return path.slice(0, 2)
  // For the other sources, the service sets it (`checkRequest`).
  if (member === 'source_config.custom_url') return source === 'external_docker' ? [member] : null
  if (path[1] !== 'resource_spec' || !listsSetBySomebody.includes(String(path[2]))) return null
  const variables = path.indexOf('env', 4)
  return path.slice(0, variables < 0 ? 4 : variables + 2)
}

function secretNamesOf({ secrets }: CreateRequest | Deployment, salt: string): string[] {
  const hashes = secrets.map(({ name }) => hashOf(['secrets', name], salt))
  const names = [...new Set(hashes)].sort()
  return names.length <= mostNames ? names : [hashOf(names, salt)]
}

function hashOf(value: unknown, salt: string): string {
  return createHmac('sha256', salt).update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

function hashesByMember(parts: readonly Part[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { path, hash } of parts) {
    const member = memberAt(path)
    const hashes = found.get(member) ?? []
    hashes.push(hash)
    found.set(member, hashes)
  }
  return found
}

/** What is compared of a request or of a deployment, hashed with its place. */
function hashed(holder: CreateRequest | Deployment, salt: string): Part[] {
  // Of what was sent as of what was answered: else a member that is emptied in answers would always differ.
  const { source, source_config, source_revision_config, secret_references } = withoutSecretValues(holder)
  const compared = {
    source: source === unknownSource ? '' : source,
    source_config,
    source_revision_config,
    secret_references,
  }
  // What is hidden of both says nothing: the service may have left it out.
  return [...leaves(compared, [])].flatMap(({ path, value }) =>
    value === '' || value === hiddenValue || isVariable(path)
      ? []
      : [{ path, hash: hashOf([path, value], salt) }],
  )
}

/** The member of the interface that a path leads to or into: one of the resource spec's where it leads there. */
function memberAt(path: Path): string {
  const depth = path[1] === 'resource_spec' ? 3 : path[0] === 'secret_references' ? 1 : 2
  return path.slice(0, depth).join('.')
}

/** How long a name may be in a path, in characters. */
const longestName = 100

/**
 * A name as it is in paths. A path is hashed with every value below it, and only the length of all names together is
 * limited, so that the hash of a longer one stands for most of it.
 */
const inPath = (name: string): string =>
  name.length <= longestName
    ? name
    : `${name.slice(0, longestName / 2)}…${createHash('sha256').update(name).digest('base64url')}`

/**
 * How many values a request may have, and in how many levels, to be compared at once. That is as much as is shown of a
 * deployment, and far more than anybody sends.
 */
export const comparableLimits = {
  values: answerLimits.detail.values,
  levels: answerLimits.detail.levels,
} as const

/** Whether comparing a request, or making its fingerprint, costs a bounded amount of work. */
export const isComparable = (request: CreateRequest): boolean =>
  !shorten(request, { ...comparableLimits, length: Infinity, textLength: Infinity }).shortened

/** The texts, numbers and truth values inside a value, with where each is. */
function* leaves(value: unknown, path: Path): Generator<{ path: Path; value: Leaf }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leaves(item, [...path, index])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* leaves(member, [...path, inPath(name)])
  } else if (typeof value === 'string') {
    yield { path, value: uuid.test(value) ? value.toLowerCase() : value }
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    yield { path, value }
  }
}

/** Whether a path leads to the value of a container's environment variable: `env`, its place, `value`. */
const isVariable = (path: Path): boolean => path.at(-1) === 'value' && path.at(-3) === 'env'
