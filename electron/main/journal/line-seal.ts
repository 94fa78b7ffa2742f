import { sealedLineSchema } from '@contract'
import { seal, unseal } from '../sealed/seal'

const purpose = 'journal'

/** How long anyone waits for the key, in milliseconds: the keychain may be asking for a password. */
const patienceMs = 2_000

/** After the keychain gave no key it is asked again only after this time, in milliseconds. */
const askAgainAfterMs = 10_000

/**
 * Encrypts the lines of the journal, each by itself, with a key from the keychain. While there is no key, lines are
 * written as they are: that an attempt to create is on the disk before it leaves matters more than that its name is
 * hidden there.
 */
export class LineSeal {
  #key: string | null = null
  #asking: Promise<void> | null = null
  #askedAt = -Infinity

  /** @param keyFor gives the key, or null; `stored` says that there are lines made with it */
  constructor(private readonly keyFor: (stored: boolean) => Promise<string | null>) {}

  /** Asks for the key, where there is none; false where there still is none in time. */
  async open(stored: boolean): Promise<boolean> {
    if (this.#key !== null) return true
    if (this.#asking === null && Date.now() - this.#askedAt >= askAgainAfterMs) {
      this.#askedAt = Date.now()
      this.#asking = this.keyFor(stored)
        .then((key) => void (this.#key = key))
        .finally(() => (this.#asking = null))
    }
    await Promise.race([this.#asking, new Promise((resolve) => setTimeout(resolve, patienceMs))])
    return this.#key !== null
  }

  /** The line for the text of an entry. */
  seal(text: string): string {
    if (this.#key === null) return text
    return JSON.stringify({ sealed: seal(text, this.#key, purpose).toString('base64') })
  }

  /** The text of a line: of one that cannot be opened, and of one that is torn, null. */
  unseal(line: string): string | null {
    const sealed = readSealed(line)
    if (sealed === null) return line
    if (this.#key === null) return null
    const content = unseal(sealed, this.#key, purpose)
    return content.state === 'read' ? content.text : null
  }
}

/** Whether a line is an encrypted one. */
export const isSealed = (line: string): boolean => readSealed(line) !== null

function readSealed(line: string): Buffer | null {
  if (!line.startsWith('{"sealed"')) return null
  try {
    return Buffer.from(sealedLineSchema.parse(JSON.parse(line)).sealed, 'base64')
  } catch {
    return null
  }
}
