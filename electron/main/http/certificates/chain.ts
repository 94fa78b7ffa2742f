import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { normalizeHost } from './host-name'

/** Real chains are shorter. A longer one is meant to cost time. */
const maxCertificates = 8

/** Signatures with MD2, MD5 or SHA-1, which can be forged: object identifiers in DER, in hexadecimal. */
const forgeable = [
  '06092a864886f70d010102',
  '06092a864886f70d010104',
  '06092a864886f70d010105',
  '06072a8648ce3d0401',
  '06072a8648ce380403',
].map((id) => Buffer.from(id, 'hex'))

const serverAuthentication = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0']

export interface Presented {
  /** The certificate of the service. */
  leaf: X509Certificate
  /** The other certificates that it sent. */
  others: X509Certificate[]
  host: string
}

/**
 * Checks that one of an environment's private authorities issued the certificate of a service. Gives what is wrong in
 * one sentence, or null.
 *
 * Checked: all signatures from the service's certificate to the authority's; validity; that each issuer is an authority
 * and may sign; extendedKeyUsage; the algorithms (no MD5, no SHA-1) and RSA key lengths (2048 bits); the host in
 * subjectAltName. Not checked: revocation, name constraints, path lengths, policies. The operator chose the authority
 * for this one host. Missing intermediates aren't fetched.
 */
export function checkChain(
  { leaf, others, host }: Presented,
  authorities: readonly X509Certificate[],
  now: Date,
): string | null {
  try {
    const path = pathTo(leaf, authorities, new Set(others.slice(0, maxCertificates)))
    if (path === null) return "It wasn't issued by this environment's private CA."
    return faultOf(path, now) ?? (isForHost(leaf, host) ? null : `It isn't for the host name ${host}.`)
  } catch {
    return "It can't be read."
  }
}

/**
 * The certificates from `from` to an authority's, in this order; null if they don't form a chain. Each of `left` is
 * tried only once: if it doesn't lead to an authority, it doesn't on another path either.
 */
function pathTo(
  from: X509Certificate,
  authorities: readonly X509Certificate[],
  left: Set<X509Certificate>,
): X509Certificate[] | null {
  if (authorities.some(({ fingerprint256 }) => fingerprint256 === from.fingerprint256)) return [from]
  const top = authorities.find((authority) => issued(authority, from))
  if (top) return [from, top]
  for (const other of left) {
    if (!issued(other, from)) continue
    left.delete(other)
    const rest = pathTo(other, authorities, left)
    if (rest) return [from, ...rest]
  }
  return null
}

/** `checkIssued` compares names and key identifiers, and whether the issuer may sign certificates. */
const issued = (issuer: X509Certificate, certificate: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

function faultOf(path: X509Certificate[], now: Date): string | null {
  for (const [index, certificate] of path.entries()) {
    const isTop = index === path.length - 1
    const who = index === 0 ? 'It' : isTop ? 'The private CA' : 'An intermediate CA'
    // A comparison with an unreadable time is false, so such a certificate is neither valid nor about to be.
    if (!(new Date(certificate.validTo) >= now)) return `${who} has expired.`
    if (!(new Date(certificate.validFrom) <= now)) return `${who} isn't valid yet.`
    if ((certificate.publicKey.asymmetricKeyDetails?.modulusLength ?? 2048) < 2048) {
      return `${who} has a key that is too short.`
    }
    if (!isTop && forgeable.some((id) => certificate.raw.includes(id))) {
      return `${who} is signed with an insecure algorithm.`
    }
    // Node's name for the extended key usage.
    const purposes = certificate.keyUsage as string[] | undefined
    if (purposes !== undefined && !purposes.some((purpose) => serverAuthentication.includes(purpose))) {
      return `${who} isn't for servers.`
    }
  }
  return null
}

/** Whether a certificate is for a host. Only its subjectAltName counts, never the subject's common name. */
function isForHost(certificate: X509Certificate, host: string): boolean {
  const name = normalizeHost(host)
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  const options = { subject: 'never', wildcards: true, partialWildcards: false } as const
  return certificate.checkHost(name, options) !== undefined
}
