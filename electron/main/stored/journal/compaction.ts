import { isUnconfirmed, type StoredEntry } from '@contract'
import { isOpen } from './entries/gap'

/** Beyond this, in lines or bytes, the file is rewritten. */
const longest = { lines: 10_000, bytes: 8 * 1024 * 1024 } as const

/** How many entries a rewritten file has, beside those that must stay. */
const budget = { entries: 5_000, bytes: 3 * 1024 * 1024 } as const

/** Whether the file is so large that it should be rewritten. */
export function isWorthRewriting({ lines, bytes }: { lines: number; bytes: number }): boolean {
  return lines > longest.lines || bytes > longest.bytes
}

/**
 * The entries that stay when the file is rewritten, in order: every unconfirmed attempt and every open gap, whatever
 * their size; then the newest creations; then the newest other entries.
 */
export function entriesToKeep(entries: readonly StoredEntry[]): StoredEntry[] {
  const newestFirst = [...entries].reverse()
  const staying = new Set(entries.filter(mustStay))
  let bytes = 0
  const isCreation = ({ kind }: StoredEntry): boolean => kind === 'creation'
  const byPriority = [
    ...newestFirst.filter(isCreation),
    ...newestFirst.filter((entry) => !isCreation(entry)),
  ].filter((entry) => !staying.has(entry))
  for (const entry of byPriority) {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    if (staying.size >= budget.entries || bytes > budget.bytes) break
    staying.add(entry)
  }
  return entries.filter((entry) => staying.has(entry))
}

function mustStay(entry: StoredEntry): boolean {
  switch (entry.kind) {
    case 'creation':
      return entry.state === 'sending' || isUnconfirmed(entry)
    case 'failure':
      return isOpen(entry)
    case 'synchronisation':
      return entry.state === 'running'
  }
}
