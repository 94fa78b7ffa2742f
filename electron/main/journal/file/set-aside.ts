import type { StoredEntry } from '@contract'
import type { Files } from '../../files'
import { unreadableAsides } from '../../files/set-aside'
import type { LineEncryption } from './line-encryption'
import { readPart } from './reading'
import { room } from './size-limits'

/** A journal that was set aside because its key was lost, and can be read again. */
export interface RegainedJournal {
  path: string
  /** In the order in which they began. */
  entries: StoredEntry[]
  /** Whether it has nothing else: it has lines of several keys where it could not be set aside when one was lost. */
  isWhole: boolean
}

/**
 * Reads the journals that were set aside and that the key opens, the newest first: by the numbers of their lines, which
 * go on from one journal to the next and need no clock. Left out is one whose chain is broken, and what is more
 * than has room in the journal.
 *
 * @param paths where the journal is, and what is written beside that of a newer Slipway, which is newer
 */
export async function readSetAside(
  files: Files,
  paths: { journal: string; meanwhile: string },
  seal: LineEncryption,
): Promise<RegainedJournal[]> {
  const asides = await unreadableAsides(files, paths.journal, paths.meanwhile)
  if (asides.length === 0 || !(await seal.open(true))) return []
  const regained: (RegainedJournal & { order: [beside: number, last: number] })[] = []
  let size = 0
  for (const path of asides) {
    // What cannot be read stays where it is, and is named.
    const bytes = await files.read(path).catch(() => null)
    if (bytes === null || size + bytes.length > room.attempts) continue
    size += bytes.length
    const { entries, end, gap, newer, opened } = readPart(bytes, seal, null)
    if (!opened || newer || gap === 'changed') continue
    regained.push({
      path,
      entries,
      isWhole: gap === null,
      order: [Number(path.startsWith(paths.meanwhile)), end.n],
    })
  }
  return regained.sort(({ order: a }, { order: b }) => b[0] - a[0] || b[1] - a[1])
}
