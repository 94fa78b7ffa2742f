import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AuthorityFile,
  type Certificate,
  fail,
  failure,
  longestPem,
  type Outcome,
  succeed,
} from '@contract'
import { readAtMost } from '../window/chosen-files'

/** Private authorities' certificates, or what is wrong with the file. `pem` is these certificates alone. */
export type ReadAuthorities =
  | { ok: true; pem: string; certificates: Certificate[]; x509: X509Certificate[] }
  | { ok: false; problem: string }

/** The longest file: a bundle of longestPem characters in UTF-16, with what people write around it. */
const longestFile = 4 * longestPem

/**
 * Reads and checks the certificates of private authorities from a file, or pasted: PEM with any text around it, DER, or
 * PKCS#7 (.p7b) in PEM or DER. Of several, those that are authorities and still valid count, so that a bundle may have
 * an old root beside the new one.
 */
export function readAuthorities(file: Buffer, now = new Date()): ReadAuthorities {
  if (file.length > longestFile) return refuse(tooLong)
  const text = file.toString(file[0] === 0xff && file[1] === 0xfe ? 'utf16le' : 'latin1')
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return refuse("This contains the CA's private key. Use only its certificate.")
  }
  const all = certificatesIn(file, text)
  if (all.length === 0) {
    return refuse(
      /-----BEGIN [A-Z0-9 ]*(?:CERTIFICATE|PKCS7|CMS)-----/.test(text)
        ? "This certificate is damaged and can't be read."
        : "This isn't a certificate in PEM (-----BEGIN CERTIFICATE-----), DER or PKCS#7.",
    )
  }
  const authorities = all.filter(isAuthority)
  if (authorities.length === 0) {
    return refuse(
      "This isn't a CA certificate: it can't issue others. To trust one service's own " +
        'certificate, check the connection and trust the one it presents.',
    )
  }
  // If the end can't be read, its date is invalid, and the comparison is false.
  const x509 = authorities.filter(({ validTo }) => new Date(validTo) >= now)
  if (x509.length === 0) return refuse('This CA certificate has expired.')
  const pem = x509.map(String).join('')
  return pem.length > longestPem ? refuse(tooLong) : { ok: true, pem, certificates: x509.map(describe), x509 }
}

const tooLong = `This is too long: use at most ${longestPem.toLocaleString('en')} characters of PEM, with only the CA's certificates.`

/** Whether a certificate may issue others. `checkIssued` refuses a key that may not sign certificates. */
function isAuthority(certificate: X509Certificate): boolean {
  return (
    certificate.ca && (certificate.subject !== certificate.issuer || certificate.checkIssued(certificate))
  )
}

/** All certificates of a file, each once. */
function certificatesIn(file: Buffer, text: string): X509Certificate[] {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)]
  const encoded = blocks.map(([, , body = '']) => body.replace(/^[ \t]*[\w-]+:.*$/gm, ''))
  const found = encoded.flatMap((body) => scan(Buffer.from(body, 'base64')))
  // DER, or base64 without the lines around it.
  if (blocks.length === 0) found.push(...scan(file))
  if (found.length === 0) found.push(...scan(Buffer.from(text, 'base64')))
  return found.filter(
    ({ fingerprint256 }, index) => found.findIndex((one) => one.fingerprint256 === fingerprint256) === index,
  )
}

/**
 * The certificates in DER, wherever they stand: alone, or in PKCS#7. Each is a sequence with a length of two bytes,
 * since a key and a signature take more than 255.
 */
function scan(bytes: Buffer): X509Certificate[] {
  const found: X509Certificate[] = []
  for (let at = bytes.indexOf('3082', 0, 'hex'); at >= 0 && at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt16BE(at + 2)
    const certificate = end <= bytes.length ? certificateOf(bytes.subarray(at, end)) : null
    if (certificate) found.push(certificate)
    at = bytes.indexOf('3082', certificate ? end : at + 1, 'hex')
  }
  return found
}

/** A certificate in DER or PEM; null if it can't be read. */
export function certificateOf(encoded: Buffer | string): X509Certificate | null {
  try {
    return new X509Certificate(encoded)
  } catch {
    return null
  }
}

function refuse(problem: string): ReadAuthorities {
  return { ok: false, problem }
}

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

/** What is shown of a certificate. */
export function describe(certificate: X509Certificate): Certificate {
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFrom: isoTime(certificate.validFrom),
    validTo: isoTime(certificate.validTo),
    fingerprint: certificate.fingerprint256,
  }
}

/** What is shown of the certificates in PEM that Slipway wrote; none of what is unreadable. */
export const describeAll = (pem: string): Certificate[] => certificatesIn(Buffer.from(pem), pem).map(describe)

/** A name of several lines (`O=Example` and `CN=…`) on one line, innermost part first. */
function nameOf(lines: string | undefined): string {
  const parts = (lines ?? '').split('\n').filter((part) => part !== '')
  // A certificate's maker chooses the name. It must not colour, move or reverse the text around it.
  const name = parts.reverse().join(', ').replace(/\p{C}/gu, '')
  return name === '' ? '(no name)' : name.slice(0, 1000)
}

function isoTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text.slice(0, 40) : time.toISOString()
}

/** A host name in a form that can be compared: lower case, an IPv6 address without brackets. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
}

/** Reads and checks certificates of authorities. Failure: `invalid-input`, which says what is wrong. */
export function readAuthorityFile(file: Buffer): Outcome<AuthorityFile> {
  const read = readAuthorities(file)
  if (!read.ok) {
    const issues = [{ path: ['pem'], message: read.problem }]
    return fail(failure('invalid-input', read.problem, { issues }))
  }
  return succeed({ pem: read.pem, certificates: read.certificates })
}

/** Reads and checks the file with certificates of authorities that the operator chose. Failure: `invalid-input`. */
export async function readChosenAuthority(path: string): Promise<Outcome<AuthorityFile>> {
  try {
    return readAuthorityFile((await readAtMost(path, longestFile)) ?? Buffer.alloc(longestFile + 1))
  } catch (error) {
    return fail(
      failure('invalid-input', "The file couldn't be read.", {
        advice: `Choose another one, or fix its permissions. (${String(error)})`,
      }),
    )
  }
}
