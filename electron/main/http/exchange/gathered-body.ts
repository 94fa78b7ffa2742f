/** Sizes in which memory is taken, up to the limit: the last one is copied into once, from little. */
const sizes = [64 * 1024, 1024 * 1024] as const

/**
 * Takes the parts of a body as they come. Memory is shared between threads and reserved at once, not filled: joining 32
 * MiB at the end, or copying them for the thread that reads them, would hold up the main process.
 */
export class GatheredBody {
  #bytes: Uint8Array = new Uint8Array(0)
  #length = 0

  /** `limitBytes` is how much is taken at most. */
  constructor(private readonly limitBytes: number) {}

  /** Takes a part; false, and nothing is taken, where the body would be longer than the limit. */
  add(part: Uint8Array): boolean {
    const length = this.#length + part.byteLength
    if (length > this.limitBytes) return false
    if (length > this.#bytes.length) this.#grow(length)
    this.#bytes.set(part, this.#length)
    this.#length = length
    return true
  }

  /** What was taken so far. */
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
