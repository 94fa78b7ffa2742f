import { type Certificate, type Failure, failure } from '@contract'
import type { ExchangeEnd } from '../exchange'
import { explainNetworkError } from './network-errors'
import { plainText } from './plain-text'

/** The failure of a request whose service showed a certificate that was refused. */
export function certificateFailure(
  { error, refusal, own }: Extract<ExchangeEnd, { kind: 'certificate' }>,
  secrets: readonly string[],
  environmentId: string | null,
): Failure {
  const { host, reason, trustable } = refusal
  // The names in a certificate are shown and stored, and its maker chose them. So secrets are removed.
  const certificate = withoutSecrets(refusal.certificate, secrets)
  const expected = refusal.expected && withoutSecrets(refusal.expected, secrets)
  const general = explainNetworkError(error)
  const nothingSent = own ? ' Nothing was sent.' : ''
  const more = {
    retryable: true,
    certificate: { environmentId, host, certificate, expected, trustable, id: null },
  } satisfies Partial<Failure>
  if (expected) {
    return failure('certificate', 'The service presents a different certificate than the trusted one.', {
      ...more,
      advice:
        `It may have been renewed, or someone may be between you and the service.${nothingSent} Ask ` +
        "the service's administrator for the new fingerprint before you trust it.",
    })
  }
  if (reason) {
    return failure('certificate', `The service's certificate was rejected. ${plainText(reason, secrets)}`, {
      ...more,
      advice: `Check the base URL and the CA in the environment's settings.${nothingSent}`,
    })
  }
  const named = error === null ? general.message : `${general.message.slice(0, -1)} (${error}).`
  return failure('certificate', named, { ...more, advice: general.advice })
}

function withoutSecrets(certificate: Certificate, secrets: readonly string[]): Certificate {
  const { subject, issuer } = certificate
  return { ...certificate, subject: plainText(subject, secrets), issuer: plainText(issuer, secrets) }
}
