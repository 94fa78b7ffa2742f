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

/** A value to compare: where it is, and its hash. */
interface Part {
  path: Path
  hash: string
}

/** What an answer may lack without differing: the interface doesn't promise to return it. */
const mayBeMissing: readonly string[] = ['source_config.deployment_type', 'secret_references']

/** Members that no service fills in, so that a person has set them. So are the items of `secret_references`. */
const setBySomebody: readonly string[] = ['source_config.install_command', 'source_config.build_command']

/** Lists of the resource spec whose items no service adds. Inside an item that was sent, services fill in defaults. */
const listsSetBySomebody: readonly string[] = ['sidecars', 'init_containers', 'volumes']

/** The source of a deployment whose answer lacks it. */
const unknownSource = 'unknown'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Beyond this many names of secrets, one hash stands for all. */
const mostNames = 100

/** With fewer members than these, beside the source, a request may as well be somebody else's. */
const fewestMembers = 3

/**
 * What is needed of a request to match its deployment later. It has only the names of secrets, hashed. Values of containers'
 * environment variables are left out: they are often secrets.
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
  /** Those that the deployment has with another value, and doesn't merely leave out. */
  contradictions: string[]
  /** The members with more than was sent, which no service fills in. */
  extras: string[]
  /** Whether its containers have environment variables, whose values aren't compared. */
  hasVariables: boolean
  /** Whether secrets were sent, or may have been: requests may then differ in what nobody can compare. */
  hasSecrets: boolean
  /** Whether too little was compared to tell it from somebody else's. */
  isThin: boolean
}

/**
 * Compares a deployment with what was sent. What the deployment has beyond that is no difference, since services fill in
 * members; what they don't fill in is in `extras`. Null, an empty text and an empty list in a request are no difference
 * either: they set nothing. The names of secrets must be exactly the same.
 */
export function compare(fingerprint: Fingerprint, deployment: Deployment): Comparison {
  const known = comparisonsOf(deployment)
  const comparison = known.get(fingerprint) ?? compareAnew(fingerprint, deployment)
  known.set(fingerprint, comparison)
  return comparison
}

type Comparisons = WeakMap<Fingerprint, Comparison>

/** Results so far: one lookup compares the same attempt for itself, and again as the rival of others. */
const compared = new WeakMap<Deployment, Comparisons>()

/** Results by what is compared of a deployment, the last used at the end: each lookup reads the list anew. */
const comparedBodies = new Map<string, Comparisons>()

/** How many bodies' results are kept beyond their lookup. Each has one for each of up to a hundred attempts. */
const mostBodies = 500

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
  if (comparedBodies.size > mostBodies && !oldest.done) comparedBodies.delete(oldest.value)
  compared.set(deployment, known)
  return known
}

/** How long comparing may block everything else, in milliseconds. */
const turnMs = 10

/** The end of the last turn that was asked for: lookups side by side have one after the other. */
let turns: Promise<unknown> = Promise.resolve()

/** For how long comparing has blocked everything else since that last had a turn (ms), and whether that is coming. */
const blocking = { ms: 0, isEnding: false }

function endBlocking(): void {
  blocking.ms = 0
  blocking.isEnding = false
}

/** Compares until the turn is used up or nothing is left. Gives whether something is left. */
async function inOneTurn(compareNext: () => boolean): Promise<boolean> {
  if (blocking.ms >= turnMs) {
    await new Promise((resolve) => setImmediate(resolve))
    endBlocking()
  }
  const since = performance.now()
  const before = blocking.ms
  let isLeft = true
  while (isLeft && blocking.ms < turnMs) {
    isLeft = compareNext()
    blocking.ms = before + performance.now() - since
  }
  if (!blocking.isEnding) setImmediate(endBlocking)
  blocking.isEnding = true
  return isLeft
}

/**
 * Compares deployments with what was sent, a little at a time, so that `compare` has the results at hand. Many attempts at
 * the name of a large deployment would otherwise block everything else for seconds. All lookups share the same turns.
 *
 * @param isNeeded is asked before each comparison; once it says no, comparing ends
 * @returns whether everything was compared
 */
export async function compareInTurns(
  fingerprints: readonly Fingerprint[],
  deployments: readonly Deployment[],
  isNeeded: () => boolean = () => true,
): Promise<boolean> {
  const pairs = pairsOf(fingerprints, deployments)
  let isEnded = false
  const compareNext = (): boolean => {
    const next = pairs.next()
    if (next.done) return false
    isEnded = !isNeeded()
    if (!isEnded) compare(...next.value)
    return !isEnded
  }
  for (let isLeft = true; isLeft;) {
    const turn = turns.then(() => inOneTurn(compareNext))
    turns = turn.catch(() => undefined)
    isLeft = await turn
  }
  return !isEnded
}

function* pairsOf(
  fingerprints: readonly Fingerprint[],
  deployments: readonly Deployment[],
): Generator<[Fingerprint, Deployment]> {
  for (const fingerprint of fingerprints) {
    for (const deployment of deployments) yield [fingerprint, deployment]
  }
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

/** Whether a request is the one that a fingerprint was made from, as far as the fingerprint says. */
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
 * Whether a deployment has exactly the values that a request gives to its containers' environment variables. Stored
 * fingerprints don't have them, so they are compared here, in memory.
 */
export function hasVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  return isDeepStrictEqual(variablesOf(request), variablesOf(deployment))
}

/** Whether a deployment has another value for an environment variable than the request, and doesn't merely lack it. */
export function contradictsVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  const answered = variablesOf(deployment)
  return [...variablesOf(request)].some(([path, value]) => {
    const there = answered.get(path) ?? value
    return there !== value && !isMasked(there)
  })
}

/** Whether a value is a mask, behind which the service has the real one. */
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

/** The members in which a deployment has more than was sent, and no service fills it in. */
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

/** The part around a path that only a person sets, and as a whole; null if there is none. */
function unitAt(path: Path, source: string): Path | null {
  const member = memberAt(path)
  if (setBySomebody.includes(member)) return [member]
  if (member === 'secret_references') return path.slice(0, 2)
  // For other sources, the service sets it (`checkRequest`).
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

/** What is compared of a request or a deployment, hashed with its path. */
function hashed(holder: CreateRequest | Deployment, salt: string): Part[] {
  // For requests as for answers: otherwise a member that answers empty would always differ.
  const { source, source_config, source_revision_config, secret_references } = withoutSecretValues(holder)
  const compared = {
    source: source === unknownSource ? '' : source,
    source_config,
    source_revision_config,
    secret_references,
  }
  // A hidden value says nothing: the service may have left it out.
  return [...leaves(compared, [])].flatMap(({ path, value }) =>
    value === '' || value === hiddenValue || isVariable(path)
      ? []
      : [{ path, hash: hashOf([path, value], salt) }],
  )
}

/** The member of the interface that a path leads into; for the resource spec, the member of that. */
function memberAt(path: Path): string {
  const depth = path[1] === 'resource_spec' ? 3 : path[0] === 'secret_references' ? 1 : 2
  return path.slice(0, depth).join('.')
}

/** How long a name may be in a path, in characters. */
const longestName = 100

/**
 * A name as it is in paths. A path is hashed with every value below it, and only the total length of names is limited. So a
 * hash stands for most of a long name.
 */
const inPath = (name: string): string =>
  name.length <= longestName
    ? name
    : `${name.slice(0, longestName / 2)}…${createHash('sha256').update(name).digest('base64url')}`

/**
 * How many values and levels a request may have to be compared at once. That is as much as is shown of a deployment, and far
 * more than anybody sends.
 */
export const comparableLimits = {
  values: answerLimits.detail.values,
  levels: answerLimits.detail.levels,
} as const

/** Whether comparing a request, or making its fingerprint, is a bounded amount of work. */
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
