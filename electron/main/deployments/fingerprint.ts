import { createHmac, randomBytes } from 'node:crypto'
import {
  type CreateRequest,
  type Deployment,
  type Fingerprint,
  hiddenValue,
  withoutSecretValues,
} from '@contract'

type Path = readonly (string | number)[]
type Leaf = string | number | boolean

/** What an answer may lack without differing: the interface does not promise that it comes back. */
const mayBeMissing: readonly string[] = ['source_config.deployment_type', 'secret_references']

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
    members: Object.fromEntries(hashesByMember(request, salt)),
    secretNames: secretNamesOf(request, salt),
  }
}

/** How a deployment compares with what was sent. */
export interface Comparison {
  /** The members of the request in which it differs. */
  differences: string[]
  /** Those of them that it has with another value, and not merely left out. */
  contradictions: string[]
  /** Whether secrets were sent, or perhaps: two requests may then differ in what nobody can compare. */
  hasSecrets: boolean
  /** Whether too little was compared to tell it from somebody else's. */
  isThin: boolean
}

/**
 * Compares a deployment with what was sent. What the deployment has beyond that is no difference: services fill in
 * members by themselves. Nor is null, an empty text or an empty list in a request, since it says that nothing is set.
 * The names of secrets must be the same, neither more nor less.
 */
export function compare({ salt, members, secretNames }: Fingerprint, deployment: Deployment): Comparison {
  const answered = hashesByMember(deployment, salt)
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
    hasSecrets: secretNames === null || secretNames.length > 0,
    isThin: same < fewestMembers,
  }
}

/**
 * Whether a deployment has every value that a request gives to the environment variables of its containers. They are
 * compared here, in memory, since fingerprints, which are kept, are without them.
 */
export function hasVariablesOf(request: CreateRequest, deployment: Deployment): boolean {
  const answered = variablesOf(deployment)
  return [...variablesOf(request)].every(([path, value]) => (answered.get(path) ?? '') === value)
}

function variablesOf({
  source_config,
  source_revision_config,
}: CreateRequest | Deployment): Map<string, Leaf> {
  const holders = { source_config, source_revision_config }
  return new Map(
    [...leaves(holders, [])].flatMap(({ path, value }) =>
      isVariable(path) ? [[JSON.stringify(path), value] as const] : [],
    ),
  )
}

function secretNamesOf({ secrets }: CreateRequest | Deployment, salt: string): string[] {
  const hashes = secrets.map(({ name }) => hashOf(['secrets', name], salt))
  const names = [...new Set(hashes)].sort()
  return names.length <= mostNames ? names : [hashOf(names, salt)]
}

function hashOf(value: unknown, salt: string): string {
  return createHmac('sha256', salt).update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

function hashesByMember(holder: CreateRequest | Deployment, salt: string): Map<string, string[]> {
  // Of what was sent as of what was answered: else a member that is emptied in answers would always differ.
  const { source, source_config, source_revision_config, secret_references } = withoutSecretValues(holder)
  const compared = {
    source: source === unknownSource ? '' : source,
    source_config,
    source_revision_config,
    secret_references,
  }
  const found = new Map<string, string[]>()
  for (const { path, value } of leaves(compared, [])) {
    // What is hidden of both says nothing: the service may have left it out.
    if (value === '' || value === hiddenValue || isVariable(path)) continue
    const member = memberAt(path)
    const hashes = found.get(member) ?? []
    hashes.push(hashOf([path, value], salt))
    found.set(member, hashes)
  }
  return found
}

/** The member of the interface that a path leads to or into: one of the resource spec's where it leads there. */
function memberAt(path: Path): string {
  const depth = path[1] === 'resource_spec' ? 3 : path[0] === 'secret_references' ? 1 : 2
  return path.slice(0, depth).join('.')
}

/** The texts, numbers and truth values inside a value, with where each is. */
function* leaves(value: unknown, path: Path): Generator<{ path: Path; value: Leaf }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leaves(item, [...path, index])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* leaves(member, [...path, name])
  } else if (typeof value === 'string') {
    yield { path, value: uuid.test(value) ? value.toLowerCase() : value }
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    yield { path, value }
  }
}

/** Whether a path leads to the value of a container's environment variable: `env`, its place, `value`. */
const isVariable = (path: Path): boolean => path.at(-1) === 'value' && path.at(-3) === 'env'
