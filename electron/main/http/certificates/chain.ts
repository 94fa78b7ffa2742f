import type { X509Certificate } from 'node:crypto'
import { countNameChecks, type Details, isForHost, mayIssueFor, readDetails } from './extensions'

/** Real chains are shorter. A longer one is meant to cost time. */
const maxCertificates = 8

/** How many signatures are checked for one chain. A real chain needs two at most for each certificate. */
const maxSignatures = 4 * maxCertificates

/** How many names are compared with constraints for one authority (OpenSSL has a similar limit, NAME_CHECK_MAX). */
const maxNameChecks = 50_000

/** Signatures with MD2, MD5 or SHA-1, which can be forged: object identifiers as bytes in hexadecimal. */
const forgeable = [
  '2a864886f70d010102',
  '2a864886f70d010104',
  '2a864886f70d010105',
  '2a8648ce3d0401',
  '2a8648ce380403',
]

const serverAuthentication = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0']

/** A certificate with its details. */
interface Link {
  certificate: X509Certificate
  details: Details
}

export interface Presented {
  /** The certificate of the service. */
  leaf: X509Certificate
  /** The other certificates that it sent. */
  others: X509Certificate[]
  host: string
}

/**
 * Checks that a private authority issued the certificate of a service. Gives what is wrong in one sentence, or null.
 *
 * Checked (RFC 5280, 6.1; RFC 6125): all signatures from the service's certificate to the authority's; validity of all
 * certificates; that each issuer is an authority and may sign (basicConstraints, keyUsage); the path length; name
 * constraints on DNS names and IP addresses; extendedKeyUsage; critical extensions, which must be known; the algorithms
 * (no MD5, no SHA-1) and RSA key lengths (2048 bits); the host in subjectAltName.
 *
 * Not checked: revocation (CRL, OCSP), certificate policies and their constraints, name constraints on other kinds of
 * names (directory, e-mail, URI), certificate transparency. Missing intermediates aren't fetched.
 */
export function checkChain(
  { leaf, others, host }: Presented,
  authority: X509Certificate,
  now: Date,
): string | null {
  try {
    const top = linkOf(authority)
    const path = pathTo(linkOf(leaf), top, others.slice(0, maxCertificates).map(linkOf))
    if (path === null) return "It wasn't issued by this environment's private CA."
    return faultOf(path, now) ?? (isForHost(leaf, host) ? null : `It isn't for the host name ${host}.`)
  } catch {
    return "It can't be read."
  }
}

function linkOf(certificate: X509Certificate): Link {
  return { certificate, details: readDetails(certificate) }
}

/**
 * The certificates from the service's to the authority's, in this order; null if they don't form a chain. The server
 * chooses them, and may give many the same name and key, so that each has issued every other. So each one is tried only
 * once: if it doesn't lead to the authority, it doesn't on another path either. The number of checked signatures is
 * limited too.
 */
function pathTo(leaf: Link, top: Link, others: Link[]): Link[] | null {
  const left = new Set(others)
  let signatures = 0

  function issued({ certificate: issuer, details }: Link, { certificate }: Link): boolean {
    if (!issuer.ca || !details.maySign || !certificate.checkIssued(issuer)) return false
    signatures += 1
    return signatures <= maxSignatures && certificate.verify(issuer.publicKey)
  }

  function onwards(from: Link): Link[] | null {
    if (same(from, top)) return [from]
    if (issued(top, from)) return [from, top]
    for (const other of others) {
      if (!left.has(other) || same(other, from) || !issued(other, from)) continue
      left.delete(other)
      const rest = onwards(other)
      if (rest) return [from, ...rest]
    }
    return null
  }

  return onwards(leaf)
}

function same(one: Link, other: Link): boolean {
  return one.certificate.fingerprint256 === other.certificate.fingerprint256
}

function faultOf(path: Link[], now: Date): string | null {
  const names = path[0]!.details.names
  for (const [index, { certificate, details }] of path.entries()) {
    const isTop = index === path.length - 1
    const who = index === 0 ? 'It' : isTop ? 'The private CA' : 'An intermediate CA'
    // A comparison with an unreadable time is false, so such a certificate is neither valid nor about to be.
    if (!(new Date(certificate.validTo) >= now)) return `${who} has expired.`
    if (!(new Date(certificate.validFrom) <= now)) return `${who} isn't valid yet.`
    if (details.hasUnknownCritical) return `${who} has an extension that Slipway doesn't know.`
    if ((certificate.publicKey.asymmetricKeyDetails?.modulusLength ?? 2048) < 2048) {
      return `${who} has a key that is too short.`
    }
    if (!isTop && forgeable.includes(details.signatureAlgorithm)) {
      return `${who} is signed with an insecure algorithm.`
    }
    // Node's name for the extended key usage.
    const purposes = certificate.keyUsage as string[] | undefined
    if (purposes !== undefined && !purposes.some((purpose) => serverAuthentication.includes(purpose))) {
      return `${who} isn't for servers.`
    }
    if (index === 0) continue
    if (details.pathLength !== null && index - 1 > details.pathLength) {
      return `${who} may not have so many authorities below it.`
    }
    if (countNameChecks(names, details) > maxNameChecks) return `${who} has too many rules about names.`
    if (!mayIssueFor(names, details)) return `${who} may not issue certificates for this name.`
  }
  return null
}
