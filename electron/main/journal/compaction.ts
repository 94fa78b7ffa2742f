import { isUnconfirmed, type StoredEntry } from '@contract'
import { isOpen } from './entries/gap'

/** From this on the file is written anew, with so many of its entries, in lines and bytes. */
const full = { lines: 10_000, bytes: 8 * 1024 * 1024 } as const
const budget = { entries: 5_000, bytes: 3 * 1024 * 1024 } as const

/** Whether the file is so long that it is worth writing it anew. */
export function mayBeRewritten({ lines, bytes }: { lines: number; bytes: number }): boolean {
  return lines > full.lines || bytes > full.bytes
}

/**
 * The entries that stay when the file is written anew, in their order: every attempt of which it is not known what
 * became and every gap that still matters, whatever they take up; then the newest creations, and then the newest of all
 * else.
 */
export function kept(entries: readonly StoredEntry[]): StoredEntry[] {
  const newestFirst = [...entries].reverse()
  const staying = new Set(entries.filter(mustStay))
  let bytes = 0
  const isCreation = ({ kind }: StoredEntry): boolean => kind === 'creation'
  const wanted = [
    ...newestFirst.filter(isCreation),
    ...newestFirst.filter((entry) => !isCreation(entry)),
  ].filter((entry) => !staying.has(entry))
  for (const entry of wanted) {
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
