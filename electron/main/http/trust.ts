import { randomUUID, type X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Certificate, Trust } from '@contract'
import type { Certificate as ElectronCertificate, Request } from 'electron'
import { certificateOf, readAuthorities, checkChain, describe, normalizeHost } from './certificates'

/** A certificate that was refused, and why. */
export interface Refusal {
  host: string
  certificate: Certificate
  /** What is wrong with it, in one sentence; null if Chromium's error says it. */
  reason: string | null
  /** The exact certificate that is trusted instead. */
  expected: Certificate | null
  /** Whether the operator may trust exactly this certificate. */
  trustable: boolean
}

/** The answer to Electron: as Chromium decides (-3), accept (0) or refuse (-2). */
export type Verdict = 0 | -2 | -3

/** Chromium's errors that an environment's own rule may overrule: an unknown authority, or none. */
const accepted = 0
const unknownAuthority = -202

/** Errors that an operator may overrule for one exact certificate: a wrong name, a wrong time, an unknown authority. */
const trustableErrors = [-200, -201, unknownAuthority]

type VerifyRequest = Pick<Request, 'hostname' | 'certificate' | 'errorCode'>

/**
 * Decides on the certificate that a host showed. An environment's own rule applies to the host of its base URL only,
 * not to a proxy's. It replaces the system's rule: a certificate that the system trusts is refused if the environment's
 * authority or exact certificate doesn't match.
 */
export function decide(
  trust: Trust,
  host: string,
  request: VerifyRequest,
  now = new Date(),
): { verdict: Verdict; refusal: Refusal | null } {
  const { hostname, certificate, errorCode } = request
  const asChromium: Verdict = -3
  const isOwn = trust.kind !== 'system' && normalizeHost(hostname) === normalizeHost(host)
  const leaf = certificateOf(certificate.data)
  if (leaf === null) return { verdict: isOwn ? -2 : asChromium, refusal: null }
  const refusal: Refusal = {
    host: hostname,
    certificate: describe(leaf),
    reason: null,
    expected: null,
    trustable: trustableErrors.includes(errorCode),
  }
  if (trust.kind === 'system' || !isOwn) {
    return { verdict: asChromium, refusal: errorCode === accepted ? null : refusal }
  }
  if (trust.kind === 'exact') {
    if (leaf.fingerprint256 === trust.certificate.fingerprint) return { verdict: accepted, refusal: null }
    const trustable = errorCode === accepted || refusal.trustable
    return { verdict: -2, refusal: { ...refusal, expected: trust.certificate, trustable } }
  }
  // The certificate is revoked, forgeable or otherwise broken. No authority overrules that.
  if (errorCode !== accepted && !trustableErrors.includes(errorCode)) {
    return { verdict: asChromium, refusal: { ...refusal, trustable: false } }
  }
  const authorities = readAuthorities(Buffer.from(trust.pem), now)
  const reason = authorities.ok
    ? checkChain({ leaf, others: sentWith(certificate), host: hostname }, authorities.x509, now)
    : authorities.problem
  if (reason === null) return { verdict: accepted, refusal: null }
  return { verdict: -2, refusal: { ...refusal, reason, trustable: false } }
}

/** The certificates that the server sent with this one, each the issuer of the one before. */
function sentWith(certificate: ElectronCertificate): X509Certificate[] {
  const others: X509Certificate[] = []
  let current: ElectronCertificate | undefined = certificate.issuerCert
  for (let count = 0; current?.data && count < 10; count += 1) {
    const other = certificateOf(current.data)
    if (other) others.push(other)
    current = current.issuerCert === current ? undefined : current.issuerCert
  }
  return others
}

/** A refused certificate, as the main process saw it. */
export interface SeenRefusal {
  /** The environment of the service; null for a draft of one. */
  environmentId: string | null
  /** The origin of the base URL. */
  origin: string
  /** The rule that refused it. */
  trust: Trust
  certificate: Certificate
}

/** How many refusals are stored. Without a limit, a service that is called repeatedly would fill the memory. */
const maxRefusals = 100

/**
 * Creates an empty store of refused certificates that the operator may still trust. Only certificates in it can be
 * trusted exactly, so that a compromised page can't bring its own.
 */
export function createRefusals() {
  /** By identifier, latest last. */
  const seen = new Map<string, SeenRefusal>()

  return {
    /** Stores a refusal. Gives the random identifier by which the page may name it. */
    record(refusal: SeenRefusal): string {
      // A synchronisation records the same refusal repeatedly while the operator looks at it.
      const known = [...seen].find(([, one]) => isDeepStrictEqual(one, refusal))
      const id = known?.[0] ?? randomUUID()
      seen.delete(id)
      seen.set(id, refusal)
      const [oldest] = seen.keys()
      if (seen.size > maxRefusals && oldest !== undefined) seen.delete(oldest)
      return id
    },
    /** The refusal with an identifier; null if it is unknown. */
    find: (id: string): SeenRefusal | null => seen.get(id) ?? null,
  }
}

export type Refusals = ReturnType<typeof createRefusals>
