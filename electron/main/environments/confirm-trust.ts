import type { Certificate } from '@contract'
import { fitsOnScreen, shownName } from '../window/dialogs/question-text'
import type { Ask, Question } from '../window/dialogs/questions'

/** What the user is asked before an environment's stored secrets are sent under a certificate that was refused. */
export interface TrustQuestion {
  environmentName: string
  origin: string
  certificate: Certificate
  /** The exact certificate that was trusted so far. */
  expected: Certificate | null
}

/** Asks the user whether they agree; null where another dialog is open, or was just declined. */
export type ConfirmTrust = (question: TrustQuestion) => Promise<boolean | null>

/** Whether all of a question is seen at once: through a proxy, the name of a server may be of any length. */
export const canBeAsked = (question: TrustQuestion): boolean => fitsOnScreen(asQuestion(question))

/** Asks outside the page. */
export function confirmTrustBy(ask: Ask): ConfirmTrust {
  return (question) => ask(asQuestion(question))
}

/** A page may have chosen the name of the environment, so it stands on a line that says what it is. */
function asQuestion({ environmentName, origin, certificate, expected }: TrustQuestion): Question {
  const shown = `Shown now (SHA-256):\n${lines(certificate.fingerprint)}`
  return {
    message: `Trust this certificate of ${origin}?`,
    detail: [
      ...(expected ? [`Trusted so far (SHA-256):\n${lines(expected.fingerprint)}`] : []),
      shown,
      `Environment: ${shownName(environmentName)}`,
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
