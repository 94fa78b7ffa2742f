import type { Failure, Fingerprint, Lookup, StoredEntry } from '@contract'

/** The longest text and list in an entry. They come from services, which may send anything. */
const longestText = 2_000
const longestList = 20
/** The largest size of an entry without its name, as JSON, in characters. */
const largest = 24_000

/**
 * The entry with its texts shortened to what a reader needs. An attempt's name and service are never shortened, because
 * they identify it. If a fingerprint is too large, its members are removed: then only the operator can settle the
 * attempt.
 */
export function bounded(entry: StoredEntry): StoredEntry {
  if (entry.kind !== 'creation') {
    return {
      ...(cutIn(entry) as typeof entry),
      failure: entry.failure && boundedFailure(entry.failure),
    } as StoredEntry
  }
  const small = {
    ...entry,
    environmentName: cut(entry.environmentName),
    deploymentId: entry.deploymentId && cut(entry.deploymentId),
    failure: entry.failure && boundedFailure(entry.failure),
    lookup: entry.lookup && (cutIn(entry.lookup) as Lookup),
    lookFailure: entry.lookFailure && boundedFailure(entry.lookFailure),
  }
  const fits = JSON.stringify({ ...small, name: '' }).length <= largest
  return fits ? small : { ...small, fingerprint: small.fingerprint && withoutMembers(small.fingerprint) }
}

/** A fingerprint without anything to compare. Its salt still identifies the attempt's service. */
export function withoutMembers({ salt, secretNames }: Fingerprint): Fingerprint {
  return { salt, members: {}, secretNames }
}

function boundedFailure(failure: Failure): Failure {
  const small = cutIn(failure) as Failure
  if (JSON.stringify(small).length <= largest / 4) return small
  const { certificate: _certificate, ...rest } = small
  return { ...rest, issues: [], advice: rest.advice?.slice(0, 500) ?? null }
}

/** A value with every text and list in it shortened. */
function cutIn(value: unknown): unknown {
  if (typeof value === 'string') return cut(value)
  if (Array.isArray(value)) return value.slice(0, longestList).map(cutIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutIn(member)]))
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}
