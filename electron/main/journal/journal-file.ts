import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type StoredEntry, storedEntrySchema } from '@contract'

/**
 * The journal on disk: one entry a line, as JSON. A change of an entry is a later line with the same identifier,
 * so that nothing that was written is ever written over. Lines that cannot be read are skipped.
 */
export class JournalFile {
  readonly #path: string
  #lines = 0

  constructor(path: string) {
    this.#path = path
  }

  /** How many lines the file has, readable or not. */
  get lines(): number {
    return this.#lines
  }

  /** Reads every entry in the order in which they began; ends a line that was torn off. */
  async read(): Promise<StoredEntry[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const lines = text.split('\n')
    this.#lines = lines.length
    const entries = parseLines(lines)
    if (text !== '' && !text.endsWith('\n')) await this.#write('\n')
    return entries
  }

  /** Appends an entry; it is on the disk when this resolves. */
  async append(entry: StoredEntry): Promise<void> {
    await this.#write(JSON.stringify(entry) + '\n')
    this.#lines += 1
  }

  /** Writes the file anew with these entries only; the old one stays until the new one is whole. */
  async rewrite(entries: readonly StoredEntry[]): Promise<void> {
    const temporary = `${this.#path}.new`
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(entries.map((entry) => JSON.stringify(entry) + '\n').join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, this.#path)
    await syncFolder(dirname(this.#path))
    this.#lines = entries.length
  }

  async #write(text: string): Promise<void> {
    const file = await open(this.#path, 'a', 0o600)
    try {
      await file.appendFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

/**
 * Puts an entry among the others, in the order in which they began. One that changes keeps its place, but the entry of
 * synchronisations, which later ones take over, moves to the end.
 */
export function put(entries: Map<string, StoredEntry>, entry: StoredEntry): void {
  if (entry.kind === 'synchronisation') entries.delete(entry.id)
  entries.set(entry.id, entry)
}

/** Entries of the lines; of each identifier the last line counts. */
export function parseLines(lines: readonly string[]): StoredEntry[] {
  const entries = new Map<string, StoredEntry>()
  for (const line of lines) {
    const entry = parseLine(line)
    if (entry) put(entries, entry)
  }
  return [...entries.values()]
}

function parseLine(line: string): StoredEntry | null {
  if (line.trim() === '') return null
  try {
    return storedEntrySchema.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** Makes a rename last through a power cut; Windows has no such call for a folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
