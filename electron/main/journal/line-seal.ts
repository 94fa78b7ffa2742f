import { seal, unseal, type Unsealed } from '../sealed/seal'

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

  /** Whether there is a key. */
  get isOpen(): boolean {
    return this.#key !== null
  }

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

  /** A text encrypted for one purpose, in base64; null where there is no key. */
  seal(text: string, purpose: string): string | null {
    return this.#key === null ? null : seal(text, this.#key, purpose).toString('base64')
  }

  /** What `seal` made; null where there is no key. */
  unseal(sealed: string, purpose: string): Unsealed | null {
    return this.#key === null ? null : unseal(Buffer.from(sealed, 'base64'), this.#key, purpose)
  }
}
