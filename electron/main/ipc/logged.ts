import type { FailureCode } from '@contract'
import type { Log } from '../log'
import type { Redactor } from '../log/secrets/redaction'
import type { CallWatch } from './answer'

/** Failures that are part of everyday use. */
const everyday: readonly FailureCode[] = ['cancelled', 'environment-changed', 'confirmation-needed']

/**
 * Notes calls in the log: name, time and failure code, never the input. What an input says in confidence is known
 * to the redactor before anybody works with it.
 */
export function loggedCalls(log: Log, redactor: Redactor): CallWatch {
  return {
    arrived({ name, input }) {
      // What is copied was shown before, and may be large.
      if (name !== 'clipboard.write') redactor.learnFrom(input)
    },
    refused: (name) => log.warn('call', `${name} from a page that may not call`),
    answered({ name }, code, durationMs) {
      const level = code === null || everyday.includes(code) ? 'debug' : 'warn'
      log[level]('call', name, { ms: Math.round(durationMs), code: code ?? undefined })
    },
  }
}
