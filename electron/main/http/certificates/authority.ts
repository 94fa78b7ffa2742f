import { X509Certificate } from 'node:crypto'
import { type Certificate, longestPem } from '@contract'
import { describe } from './describe'
import { readDetails } from './extensions'

/** A private authority's certificate, or what is wrong with the text. `pem` is the certificate alone. */
export type ReadAuthority =
  { ok: true; pem: string; certificate: Certificate; x509: X509Certificate } | { ok: false; problem: string }

/** Reads and checks the certificate of an authority in PEM, from a file or pasted. */
export function readAuthority(text: string, now = new Date()): ReadAuthority {
  if (text.length > longestPem) return refuse('This is too long for one certificate.')
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return refuse("This contains the CA's private key. Use only its certificate.")
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  const [pem, ...more] = blocks
  if (pem === undefined) {
    return refuse('This isn\'t a PEM certificate, which begins with "-----BEGIN CERTIFICATE-----".')
  }
  if (more.length > 0) {
    return refuse(`There are ${blocks.length} certificates in it. Use only the CA's.`)
  }
  let x509: X509Certificate
  let maySign: boolean
  try {
    x509 = new X509Certificate(pem)
    maySign = readDetails(x509).maySign
  } catch {
    return refuse("This certificate is damaged and can't be read.")
  }
  if (!x509.ca || !maySign) {
    return refuse(
      "This isn't a CA certificate: it can't issue others. To trust one service's own " +
        'certificate, check the connection and trust the one it presents.',
    )
  }
  const certificate = describe(x509)
  // If the end can't be read, its date is invalid, and the comparison is false.
  if (!(new Date(certificate.validTo) >= now)) return refuse('This CA certificate has expired.')
  return { ok: true, pem, certificate, x509 }
}

function refuse(problem: string): ReadAuthority {
  return { ok: false, problem }
}
