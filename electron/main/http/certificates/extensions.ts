import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { normalizeHost } from './host-name'
import { type DerValue, readValue, readValues, tags } from './der'

/** Names that a certificate is for, or that an authority may or may not issue for. Addresses are bytes. */
export interface Names {
  dns: string[]
  /** An address, or in a constraint an address and its mask. */
  ip: Buffer[]
}

/** Details of a certificate that Node's X509Certificate doesn't have (RFC 5280, 4.1 and 4.2). */
export interface Details {
  /** The object identifier of its signature algorithm, as bytes in hexadecimal. */
  signatureAlgorithm: string
  /** How many authorities may be between it and the certificate of a service; null for any number. */
  pathLength: number | null
  /** Whether it may sign certificates; true if it doesn't say what its key is for. */
  maySign: boolean
  names: Names
  /** The only names that it may issue for; null if it doesn't restrict them. */
  permitted: Names | null
  excluded: Names
  /** Whether it has a critical extension that isn't known. */
  hasUnknownCritical: boolean
}

/** Object identifiers of extensions, as bytes in hexadecimal. */
const ids = {
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  certificatePolicies: '551d20',
  extendedKeyUsage: '551d25',
} as const

const known: readonly string[] = Object.values(ids)

/** Reads the details. Throws if the certificate is malformed. */
export function readDetails(certificate: X509Certificate): Details {
  const [body, algorithm] = readValues(readValue(certificate.raw).contents)
  if (body?.tag !== tags.sequence || algorithm?.tag !== tags.sequence) throw new Error('Not a certificate.')
  const wrapped = readValues(body.contents).find(({ tag }) => tag === 0xa3)
  const list = wrapped ? readValues(readValue(wrapped.contents).contents) : []
  const extensions = list.map(({ contents }) => {
    const parts = readValues(contents)
    return {
      id: parts[0]!.contents.toString('hex'),
      critical: parts[1]?.tag === tags.boolean && parts[1].contents[0] !== 0,
      value: parts[parts.length - 1]!.contents,
    }
  })
  // RFC 5280, 4.2, allows one extension for each identifier. Of two, another reader might use the other.
  if (new Set(extensions.map(({ id }) => id)).size < extensions.length)
    throw new Error('An extension appears twice.')
  const find = (id: string): DerValue | null => {
    const found = extensions.find((extension) => extension.id === id)
    return found ? readValue(found.value) : null
  }
  const keyUsage = find(ids.keyUsage)
  const constraints = readValues(find(ids.nameConstraints)?.contents ?? Buffer.alloc(0))
  const permitted = constraints.find(({ tag }) => tag === 0xa0)
  const excluded = constraints.find(({ tag }) => tag === 0xa1)
  return {
    signatureAlgorithm: readValues(algorithm.contents)[0]!.contents.toString('hex'),
    pathLength: pathLength(find(ids.basicConstraints)),
    // Bit 5 of the bit string. Its first byte is the number of unused bits.
    maySign: keyUsage === null || ((keyUsage.contents[1] ?? 0) & 0x04) !== 0,
    names: namesOf(readValues(find(ids.subjectAltName)?.contents ?? Buffer.alloc(0))),
    permitted: permitted ? namesOf(bases(permitted)) : null,
    excluded: excluded ? namesOf(bases(excluded)) : { dns: [], ip: [] },
    hasUnknownCritical: extensions.some(({ id, critical }) => critical && !known.includes(id)),
  }
}

function pathLength(basic: DerValue | null): number | null {
  const length = readValues(basic?.contents ?? Buffer.alloc(0)).find(({ tag }) => tag === tags.integer)
  return length ? length.contents.readUIntBE(0, Math.min(length.contents.length, 6)) : null
}

/** The names in a list of subtrees. */
function bases(subtrees: DerValue): DerValue[] {
  return readValues(subtrees.contents).map(({ contents }) => readValues(contents)[0]!)
}

function namesOf(values: DerValue[]): Names {
  const ofTag = (wanted: number): Buffer[] =>
    values.filter(({ tag }) => tag === wanted).map(({ contents }) => contents)
  return { dns: ofTag(0x82).map((name) => name.toString('latin1').toLowerCase()), ip: ofTag(0x87) }
}

/** How many comparisons it takes to check these names against these constraints. */
export function countNameChecks(names: Names, { permitted, excluded }: Details): number {
  const dns = excluded.dns.length + (permitted?.dns.length ?? 0)
  const ip = excluded.ip.length + (permitted?.ip.length ?? 0)
  return names.dns.length * dns + names.ip.length * ip
}

/** Whether an authority with these constraints may issue for all these names. */
export function mayIssueFor(names: Names, { permitted, excluded }: Details): boolean {
  const withinDns = (name: string, base: string): boolean => {
    const bare = base.replace(/^\./, '')
    return bare === '' || name === bare || name.endsWith(`.${bare}`)
  }
  // A wildcard stands for the names below it. If one of them is excluded, so is the wildcard.
  const excludesDns = (name: string, base: string): boolean =>
    withinDns(name, base) || (name.startsWith('*.') && withinDns(base.replace(/^\./, ''), name.slice(2)))
  const withinIp = (address: Buffer, base: Buffer): boolean =>
    base.length === 2 * address.length &&
    address.every((byte, index) => {
      const mask = base[address.length + index]!
      return (byte & mask) === (base[index]! & mask)
    })
  const dnsAllowed = names.dns.every(
    (name) =>
      !excluded.dns.some((base) => excludesDns(name, base)) &&
      (permitted === null ||
        permitted.dns.length === 0 ||
        permitted.dns.some((base) => withinDns(name, base))),
  )
  const ipAllowed = names.ip.every(
    (address) =>
      !excluded.ip.some((base) => withinIp(address, base)) &&
      (permitted === null ||
        permitted.ip.length === 0 ||
        permitted.ip.some((base) => withinIp(address, base))),
  )
  return dnsAllowed && ipAllowed
}

/** Whether a certificate is for a host. Only its subjectAltName counts, never the subject's common name. */
export function isForHost(certificate: X509Certificate, host: string): boolean {
  const name = normalizeHost(host)
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  const options = { subject: 'never', wildcards: true, partialWildcards: false } as const
  return certificate.checkHost(name, options) !== undefined
}
