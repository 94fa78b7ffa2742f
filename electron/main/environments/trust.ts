import type { Certificate } from '@contract'
import { shownText } from '@contract/core/text'
import type { Ask, Question } from '../window/questions'

/**
 * The question to the operator before an environment's stored secrets are sent to the owner of a refused certificate.
 */
export interface TrustQuestion {
  environmentName: string
  origin: string
  certificate: Certificate
  /** The exact certificate that was trusted before. */
  expected: Certificate | null
}

/**
 * Asks, outside the page, whether the operator agrees; null while another dialog is open, or shortly after one was
 * declined.
 */
export type ConfirmTrust = (question: TrustQuestion) => Promise<boolean | null>

export function confirmTrustBy(ask: Ask): ConfirmTrust {
  return (question) => ask(asQuestion(question))
}

/** A page may have chosen the environment's name, so it has a labelled line of its own. */
function asQuestion({ environmentName, origin, certificate, expected }: TrustQuestion): Question {
  const shown = `Shown now (SHA-256):\n${lines(certificate.fingerprint)}`
  return {
    message: `Trust this certificate of ${origin}?`,
    detail: [
      ...(expected ? [`Trusted so far (SHA-256):\n${lines(expected.fingerprint)}`] : []),
      shown,
      `Environment: ${shownText(environmentName, { max: 60 })}`,
      "Slipway will send this environment's stored request headers to any server that presents this certificate. " +
        "Compare the fingerprint with the one that the service's administrator gives you.",
    ].join('\n\n'),
    agree: 'Trust certificate',
  }
}

/** A fingerprint on two lines of 16 bytes, to be compared by eye. */
function lines(fingerprint: string): string {
  const half = 16 * 3
  return `${fingerprint.slice(0, half - 1)}\n${fingerprint.slice(half)}`
}
