/** One value of DER (ITU-T X.690): its tag byte and its contents. */
export interface DerValue {
  tag: number
  contents: Buffer
}

/** Tag bytes that certificates use. */
export const tags = { boolean: 0x01, integer: 0x02, bitString: 0x03, sequence: 0x30 } as const

/** The values in `bytes`, one after the other. Throws if they aren't DER. */
export function readValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at]!
    const first = bytes[at + 1]
    if (first === undefined || (tag & 0x1f) === 0x1f) throw new Error("This isn't DER.")
    let length = first
    let start = at + 2
    if (first >= 0x80) {
      const size = first - 0x80
      if (size < 1 || size > 4 || start + size > bytes.length) throw new Error("This isn't DER.")
      length = bytes.readUIntBE(start, size)
      start += size
    }
    if (start + length > bytes.length) throw new Error("This isn't DER.")
    values.push({ tag, contents: bytes.subarray(start, start + length) })
    at = start + length
  }
  return values
}

/** The single value in `bytes`. Throws if there is none or more than one. */
export function readValue(bytes: Buffer): DerValue {
  const [value, ...more] = readValues(bytes)
  if (value === undefined || more.length > 0) throw new Error("This isn't DER.")
  return value
}
