import { raceTimeout } from '../../../async'
import { decrypt, type Decrypted, encrypt } from '../../../files/encryption'

/** How long callers wait for the key, in milliseconds: the keychain may be asking for a password. */
const timeoutMs = 2_000

/** How long the keychain isn't asked again after it gave no key, in milliseconds. */
const askAgainAfterMs = 10_000

/**
 * Encrypts the lines of the journal one by one, with a key from the keychain. Without a key, lines are written in plain
 * text: it matters more that an attempt is on disk before it leaves than that its name is hidden there.
 */
export class LineEncryption {
  #key: string | null = null
  #asking: Promise<void> | null = null
  /** A request for the key that timed out. Callers don't wait for it again. */
  #slow: Promise<void> | null = null
  /** By a monotonic clock. */
  #askedAt = -Infinity

  /** @param keyFor gives the key, or null; `stored` says that lines are encrypted with it */
  constructor(private readonly keyFor: (stored: boolean) => Promise<string | null>) {}

  /** Whether there is a key. */
  get isOpen(): boolean {
    return this.#key !== null
  }

  /** Resolves when no request for the key is running. `isOpen` then says how it ended. */
  async answered(): Promise<void> {
    await this.#asking
  }

  /**
   * Requests the key if there is none. Gives whether there is one within the time limit.
   *
   * @param anew requests it at once, even if the keychain has just given none
   */
  async open(stored: boolean, anew = false): Promise<boolean> {
    if (this.#key !== null) return true
    const mayAsk = anew || performance.now() - this.#askedAt >= askAgainAfterMs
    if (this.#asking === null && mayAsk) this.#ask(stored)
    const asking = this.#asking
    if (asking === null || asking === this.#slow) return false
    await raceTimeout(asking, timeoutMs, () => void (this.#slow = asking))
    return this.isOpen
  }

  #ask(stored: boolean): void {
    this.#askedAt = performance.now()
    this.#asking = this.keyFor(stored)
      .then((key) => void (this.#key = key))
      .finally(() => (this.#asking = null))
  }

  /** Encrypts a text for one purpose, in base64; null without a key. */
  encrypt(text: string, purpose: string): string | null {
    return this.#key === null ? null : encrypt(text, this.#key, purpose).toString('base64')
  }

  /** Decrypts a result of `encrypt`; null without a key. */
  decrypt(encrypted: string, purpose: string): Decrypted | null {
    return this.#key === null ? null : decrypt(Buffer.from(encrypted, 'base64'), this.#key, purpose)
  }
}
