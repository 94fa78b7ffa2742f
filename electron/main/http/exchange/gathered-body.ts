/** The sizes of the buffer, before the limit itself. Bodies are small or large, so a body is copied twice at most. */
const sizes = [64 * 1024, 1024 * 1024] as const

/**
 * Collects the parts of a body as they arrive, in memory that threads share. Joining 32 MiB at the end, or copying them
 * for the thread that reads them, would block the main process. The memory is reserved, not filled.
 */
export class GatheredBody {
  #bytes: Uint8Array = new Uint8Array(0)
  #length = 0

  /** `limitBytes` is the largest size of the body. */
  constructor(private readonly limitBytes: number) {}

  /** Adds a part. False, and nothing is added, if the body would exceed the limit. */
  add(part: Uint8Array): boolean {
    const length = this.#length + part.byteLength
    if (length > this.limitBytes) return false
    if (length > this.#bytes.length) this.#grow(length)
    this.#bytes.set(part, this.#length)
    this.#length = length
    return true
  }

  /** The parts so far, joined. */
  body(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const size = sizes.find((one) => length <= one) ?? this.limitBytes
    const larger = new Uint8Array(new SharedArrayBuffer(Math.min(size, this.limitBytes)))
    larger.set(this.body())
    this.#bytes = larger
  }
}
