import { seal, unseal, type Unsealed } from '../../files/encryption'

/** How long anyone waits for the key, in milliseconds: the keychain may be asking for a password. */
const timeoutMs = 2_000

/** After the keychain gave no key it is asked again only after this time, in milliseconds. */
const askAgainAfterMs = 10_000

/**
 * Encrypts the lines of the journal, each by itself, with a key from the keychain. While there is no key, lines are
 * written as they are: that an attempt to create is on the disk before it leaves matters more than that its name is
 * hidden there.
 */
export class LineEncryption {
  #key: string | null = null
  #asking: Promise<void> | null = null
  /** The question that somebody has waited for in vain: nobody waits for it again. */
  #slow: Promise<void> | null = null
  /** By a clock that nobody sets. */
  #askedAt = -Infinity

  /** @param keyFor gives the key, or null; `stored` says that there are lines made with it */
  constructor(private readonly keyFor: (stored: boolean) => Promise<string | null>) {}

  /** Whether there is a key. */
  get isOpen(): boolean {
    return this.#key !== null
  }

  /** Resolves when the question for the key that is under way, if any, is answered; then `isOpen` says how. */
  async answered(): Promise<void> {
    await this.#asking
  }

  /**
   * Asks for the key, where there is none; false where there still is none in time.
   *
   * @param anew asks at once, also where the keychain gave none a moment ago
   */
  async open(stored: boolean, anew = false): Promise<boolean> {
    if (this.#key !== null) return true
    const mayAsk = anew || performance.now() - this.#askedAt >= askAgainAfterMs
    if (this.#asking === null && mayAsk) this.#ask(stored)
    const asking = this.#asking
    if (asking === null || asking === this.#slow) return false
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#slow = asking
        resolve()
      }, timeoutMs)
    })
    await Promise.race([asking, late]).finally(() => clearTimeout(timer))
    return this.isOpen
  }

  #ask(stored: boolean): void {
    this.#askedAt = performance.now()
    this.#asking = this.keyFor(stored)
      .then((key) => void (this.#key = key))
      .finally(() => (this.#asking = null))
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
