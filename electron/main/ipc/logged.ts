import type { FailureCode } from '@contract'
import type { Log } from '../log'
import type { Redactor } from '../log/secrets/redaction'
import type { CallWatch } from './answer'

/** Failures that are part of normal use. */
const everyday: readonly FailureCode[] = ['cancelled', 'environment-changed', 'confirmation-needed']

/**
 * Logs calls: name, time and failure code, never the input. The redactor learns the secrets of an input before any
 * other code uses it.
 */
export function loggedCalls(log: Log, redactor: Redactor): CallWatch {
  return {
    arrived({ name, input }) {
      // Text for the clipboard was shown before, and may be large.
      if (name !== 'clipboard.write') redactor.learnFrom(input)
    },
    refused: (name) => log.warn('call', `${name} from a page that may not call`),
    answered({ name }, code, durationMs) {
      const level = code === null || everyday.includes(code) ? 'debug' : 'warn'
      log[level]('call', name, { ms: Math.round(durationMs), code: code ?? undefined })
    },
  }
}
