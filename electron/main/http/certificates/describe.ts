import { X509Certificate } from 'node:crypto'
import type { Certificate } from '@contract'

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
export function describeAll(pem: string): Certificate[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).flatMap((one) => {
    try {
      return [describe(new X509Certificate(one))]
    } catch {
      return []
    }
  })
}

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
