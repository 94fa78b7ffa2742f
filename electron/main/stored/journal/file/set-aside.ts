import type { StoredEntry } from '@contract'
import type { Files } from '../../../files'
import { unreadableAsides } from '../../../files/set-aside'
import type { LineEncryption } from './line-encryption'
import { readPart } from './reading'
import { sizeLimits } from './size-limits'

/** A journal that was set aside because its key was lost, and that can be read again. */
export interface RegainedJournal {
  path: string
  /** In the order they began. */
  entries: StoredEntry[]
  /** Whether all of it can be read. If it couldn't be set aside when a key was lost, it has lines of several keys. */
  isWhole: boolean
}

/**
 * Reads the journals that were set aside and that the key decrypts, newest first. The order is that of the numbers of
 * their lines, which continue from one journal to the next and need no clock. Leaves out those with a broken chain, and
 * those that exceed the limits.
 *
 * @param paths the journal, and the file beside the journal of a newer Slipway, which is newer
 */
export async function readSetAside(
  files: Files,
  paths: { journal: string; meanwhile: string },
  encryption: LineEncryption,
): Promise<RegainedJournal[]> {
  const asides = await unreadableAsides(files, paths.journal, paths.meanwhile)
  if (asides.length === 0 || !(await encryption.open(true))) return []
  const regained: (RegainedJournal & { order: [beside: number, last: number] })[] = []
  let size = 0
  for (const path of asides) {
    // An unreadable file stays where it is. The notice names it.
    const bytes = await files.read(path).catch(() => null)
    if (bytes === null || size + bytes.length > sizeLimits.attempts) continue
    size += bytes.length
    const { entries, end, gap, newer, decrypted } = readPart(bytes, encryption, null)
    if (!decrypted || newer || gap === 'changed') continue
    regained.push({
      path,
      entries,
      isWhole: gap === null,
      order: [Number(path.startsWith(paths.meanwhile)), end.n],
    })
  }
  return regained.sort(({ order: a }, { order: b }) => b[0] - a[0] || b[1] - a[1])
}
