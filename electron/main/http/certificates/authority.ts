import { X509Certificate } from 'node:crypto'
import { type Certificate, longestPem } from '@contract'
import { describe } from './describe'

/** Private authorities' certificates, or what is wrong with the file. `pem` is these certificates alone. */
export type ReadAuthorities =
  | { ok: true; pem: string; certificates: Certificate[]; x509: X509Certificate[] }
  | { ok: false; problem: string }

/** The longest file: a bundle of longestPem characters in UTF-16, with what people write around it. */
export const longestFile = 4 * longestPem

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

function certificateOf(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der)
  } catch {
    return null
  }
}

function refuse(problem: string): ReadAuthorities {
  return { ok: false, problem }
}
