import { open, readFile } from 'node:fs/promises'
import { type StoredEntry, storedEntrySchema } from '@contract'
import { writeWhole } from '../whole-file'
import { isSealed, type LineSeal } from './line-seal'

/**
 * The journal on disk: one entry a line, as JSON. A change of an entry is a later line with the same identifier,
 * so that nothing that was written is ever written over. Lines that cannot be read are skipped. Lines are encrypted as
 * far as the seal has a key.
 */
export class JournalFile {
  readonly #path: string
  readonly #seal: LineSeal
  #lines = 0
  #locked = false

  constructor(path: string, seal: LineSeal) {
    this.#path = path
    this.#seal = seal
  }

  /** Whether there are lines that were not read because there was no key: they must not be written over. */
  get locked(): boolean {
    return this.#locked
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
    const sealed = lines.some(isSealed)
    this.#locked = sealed && !(await this.#seal.open(true))
    const entries = parseLines(lines.map((line) => this.#seal.unseal(line) ?? ''))
    if (text !== '' && !text.endsWith('\n')) await this.#write('\n')
    return entries
  }

  /** Whether lines that were not read can be read now. */
  async canUnlock(): Promise<boolean> {
    return this.#locked && (await this.#seal.open(true))
  }

  /** Appends an entry; it is on the disk when this resolves. */
  async append(entry: StoredEntry): Promise<void> {
    await this.#seal.open(this.#locked)
    await this.#write(this.#lineOf(entry))
    this.#lines += 1
  }

  /** Writes the file anew with these entries only; the old one stays until the new one is whole. */
  async rewrite(entries: readonly StoredEntry[]): Promise<void> {
    await writeWhole(this.#path, entries.map((entry) => this.#lineOf(entry)).join(''))
    this.#lines = entries.length
  }

  #lineOf(entry: StoredEntry): string {
    return this.#seal.seal(JSON.stringify(entry)) + '\n'
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
