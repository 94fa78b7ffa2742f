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
import { shorten } from '@contract/deployment-api/reading/shorten'
import { runInSlices } from '../../../async/time-slices'

type Path = readonly (string | number)[]
type Leaf = string | number | boolean

/** A value to compare: where it is, and its hash. */
interface Part {
  path: Path
  hash: string
}

/** Members that an answer may lack without differing: the interface doesn't promise to return them. */
const mayBeMissing: readonly string[] = ['source_config.deployment_type', 'secret_references']

/**
 * Members that no service fills in, so an operator has set them. The same goes for the items of `secret_references`.
 */
const setByOperator: readonly string[] = ['source_config.install_command', 'source_config.build_command']

/**
 * Lists of the resource spec to which no service adds items. Inside an item that was sent, services fill in defaults.
 */
const listsSetByOperator: readonly string[] = ['sidecars', 'init_containers', 'volumes']

/** The source of a deployment whose answer lacks it. */
const unknownSource = 'unknown'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** With more names of secrets than this, one hash stands for all. */
const maxNames = 100

/** A request with fewer members than these, besides the source, may equal another user's. */
const fewestMembers = 3

/**
 * The fingerprint of a request, to match its deployment later. Of secrets, it has only the hashed names. It leaves out
 * the values of containers' environment variables, because they are often secrets.
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
  /** The members of the request that differ. */
  differences: string[]
  /** Members that differ because the deployment has another value, not because it lacks one. */
  contradictions: string[]
  /** Members that have more than was sent, although no service fills them in. */
  extras: string[]
  /** Whether its containers have environment variables, whose values aren't compared. */
  hasVariables: boolean
  /** Whether secrets were sent, or may have been. Their values can't be compared. */
  hasSecrets: boolean
  /** Whether too few members were compared to tell it from another user's deployment. */
  isThin: boolean
}

/**
 * Compares a deployment with what was sent. Members that only the deployment has aren't differences, because services
 * fill in members. Those that no service fills in are `extras`. Null, an empty text and an empty list in a request set
 * nothing, so they aren't differences either. The names of secrets must be exactly the same.
 */
export function compare(fingerprint: Fingerprint, deployment: Deployment): Comparison {
  const known = comparisonsOf(deployment)
  const comparison = known.get(fingerprint) ?? compareAnew(fingerprint, deployment)
  known.set(fingerprint, comparison)
  return comparison
}

type Comparisons = WeakMap<Fingerprint, Comparison>

/** Results so far. A lookup compares the same attempt twice: for itself, and as a rival of others. */
const compared = new WeakMap<Deployment, Comparisons>()

/** Results by what is compared of a deployment, the most recently used last. Each lookup reads the list again. */
const comparedBodies = new Map<string, Comparisons>()

/** How many bodies keep their results after a lookup. Each has a result for each of up to a hundred attempts. */
const maxBodies = 500

function comparisonsOf(deployment: Deployment): Comparisons {
  const own = compared.get(deployment)
  if (own) return own
  const { source, source_config, source_revision_config, secret_references, secrets } = deployment
  const body = [source, source_config, source_revision_config, secret_references, secrets]
  const key = createHash('sha256').update(JSON.stringify(body)).digest('base64')
  const known = comparedBodies.get(key) ?? new WeakMap<Fingerprint, Comparison>()
  comparedBodies.delete(key)
  comparedBodies.set(key, known)
  const oldest = comparedBodies.keys().next()
  if (comparedBodies.size > maxBodies && !oldest.done) comparedBodies.delete(oldest.value)
  compared.set(deployment, known)
  return known
}

/**
 * Compares deployments with what was sent, a little at a time, so that `compare` has the results at hand. Many attempts
 * at the name of a large deployment would otherwise block everything else for seconds.
 *
 * @param isNeeded is asked before each comparison; if it says no, comparing ends
 * @returns whether everything was compared
 */
export async function compareInSlices(
  fingerprints: readonly Fingerprint[],
  deployments: readonly Deployment[],
  isNeeded: () => boolean = () => true,
): Promise<boolean> {
  return await runInSlices(comparing(fingerprints, deployments, isNeeded))
}

function* comparing(
  fingerprints: readonly Fingerprint[],
  deployments: readonly Deployment[],
  isNeeded: () => boolean,
): Generator<undefined, boolean> {
  for (const fingerprint of fingerprints) {
    for (const deployment of deployments) {
      if (!isNeeded()) return false
      compare(fingerprint, deployment)
      yield
    }
  }
  return true
}

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

/** Whether a fingerprint could be that of a request. */
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
 * Whether a deployment has exactly the values of a request's environment variables. Stored fingerprints don't have
 * these values, so they are compared here, in memory.
 */
export function hasVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  return isDeepStrictEqual(variablesOf(request), variablesOf(deployment))
}

/** Whether a deployment has another value for an environment variable of the request. A missing one doesn't count. */
export function contradictsVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  const answered = variablesOf(deployment)
  return [...variablesOf(request)].some(([path, value]) => {
    const there = answered.get(path) ?? value
    return there !== value && !isMasked(there)
  })
}

/** Whether a value is a mask of the service for the real one. */
const isMasked = (value: Leaf): boolean => /^[*•]+$/.test(String(value))

/** The values of environment variables, by path. Hidden and empty values are left out. */
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

/** Members that have more than was sent, although no service fills them in. */
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

/** The path of the unit around a path that only an operator sets, and always as a whole; null if there is none. */
function unitAt(path: Path, source: string): Path | null {
  const member = memberAt(path)
  if (setByOperator.includes(member)) return [member]
  if (member === 'secret_references') return path.slice(0, 2)
  // With other sources, the service sets it (`checkRequest`).
  if (member === 'source_config.custom_url') return source === 'external_docker' ? [member] : null
  if (path[1] !== 'resource_spec' || !listsSetByOperator.includes(String(path[2]))) return null
  const variables = path.indexOf('env', 4)
  return path.slice(0, variables < 0 ? 4 : variables + 2)
}

function secretNamesOf({ secrets }: CreateRequest | Deployment, salt: string): string[] {
  const hashes = secrets.map(({ name }) => hashOf(['secrets', name], salt))
  const names = [...new Set(hashes)].sort()
  return names.length <= maxNames ? names : [hashOf(names, salt)]
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

/** The compared values of a request or a deployment, hashed with their paths. */
function hashed(holder: CreateRequest | Deployment, salt: string): Part[] {
  // Requests and answers are treated alike. Otherwise a member that the service returns empty would always differ.
  const { source, source_config, source_revision_config, secret_references } = withoutSecretValues(holder)
  const compared = {
    source: source === unknownSource ? '' : source,
    source_config,
    source_revision_config,
    secret_references,
  }
  // A hidden value proves nothing: the service may have left it out.
  return [...leaves(compared, [])].flatMap(({ path, value }) =>
    value === '' || value === hiddenValue || isVariable(path)
      ? []
      : [{ path, hash: hashOf([path, value], salt) }],
  )
}

/** The member of the interface that contains a path. For the resource spec, it is the member inside it. */
function memberAt(path: Path): string {
  const depth = path[1] === 'resource_spec' ? 3 : path[0] === 'secret_references' ? 1 : 2
  return path.slice(0, depth).join('.')
}

/** The longest name in a path, in characters. */
const longestName = 100

/**
 * A name in a path. Each value is hashed with its path, and only the total length of names is limited. So a long name
 * is replaced by its beginning and a hash.
 */
const inPath = (name: string): string =>
  name.length <= longestName
    ? name
    : `${name.slice(0, longestName / 2)}…${createHash('sha256').update(name).digest('base64url')}`

/**
 * How many values and levels a request may have to be compared. That is as much as is shown of a deployment, and far
 * more than anyone sends.
 */
export const comparableLimits = {
  values: answerLimits.detail.values,
  levels: answerLimits.detail.levels,
} as const

/** Whether the work to compare a request, or to make its fingerprint, is bounded. */
export const isComparable = (request: CreateRequest): boolean =>
  !shorten(request, { ...comparableLimits, length: Infinity, textLength: Infinity }).shortened

/** The texts, numbers and booleans inside a value, with their paths. */
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
