import type { ChangedDeployment, HistoryEntry } from '@contract/cache'

/**
 * Entries by deployment. The deployment that changed last comes first.
 *
 * @param entries newest first
 * @param maxEach how many entries of each deployment are listed; the older ones are counted
 */
export function changedDeployments(entries: readonly HistoryEntry[], maxEach: number): ChangedDeployment[] {
  const found = new Map<string, ChangedDeployment>()
  for (const entry of entries) {
    const { id, name } = entry
    const of = found.get(id) ?? { id, name, entries: [], total: 0 }
    found.set(id, of)
    of.total += 1
    if (of.entries.length < maxEach) of.entries.push(entry)
  }
  return [...found.values()]
}
