import type { Failure, Lookup, StoredEntry } from '@contract'

/** The longest text and list in an entry. They come from services, which may send anything. */
const longestText = 2_000
const longestList = 20
/** The largest size of a failure, as JSON, in characters. */
const largestFailure = 6_000

/**
 * The entry with its texts shortened to what a reader needs. What identifies an attempt, and what it sent, is never
 * shortened.
 */
export function bounded(entry: StoredEntry): StoredEntry {
  if (entry.kind !== 'creation') {
    return {
      ...(cutIn(entry) as typeof entry),
      failure: entry.failure && boundedFailure(entry.failure),
    } as StoredEntry
  }
  return {
    ...entry,
    environmentName: cut(entry.environmentName),
    deploymentId: entry.deploymentId && cut(entry.deploymentId),
    failure: entry.failure && boundedFailure(entry.failure),
    lookup: entry.lookup && (cutIn(entry.lookup) as Lookup),
    lookFailure: entry.lookFailure && boundedFailure(entry.lookFailure),
  }
}

function boundedFailure(failure: Failure): Failure {
  const small = cutIn(failure) as Failure
  if (JSON.stringify(small).length <= largestFailure) return small
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
