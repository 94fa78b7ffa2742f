import { shownText } from '@contract/core/text'
import type { SeenRefusal } from '../http/trust'
import type { Question } from '../window/questions'

/**
 * The question to the operator, outside the page, before an environment's stored secrets are sent to the owner of a
 * refused certificate. A page may have chosen the environment's name, so it has a labelled line of its own.
 */
export function trustQuestion(
  environmentName: string,
  { origin, certificate, trust }: SeenRefusal,
): Question {
  const expected =
    trust.kind === 'exact' ? [`Trusted so far (SHA-256):\n${lines(trust.certificate.fingerprint)}`] : []
  return {
    message: `Trust this certificate of ${origin}?`,
    detail: [
      ...expected,
      `Shown now (SHA-256):\n${lines(certificate.fingerprint)}`,
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
