import type { FailureCode } from '@contract'
import { Sequencer } from '../async'
import type { Log } from '../log'
import type { Redactor } from '../log/secrets/redaction'
import type { CallWatch } from './answer'

/** Failures that are part of normal use. */
const everyday: readonly FailureCode[] = ['cancelled', 'environment-changed', 'confirmation-needed']

/** From how long on a call counts as slow, in milliseconds. The log then has it at its usual level. */
const slowMs = 1_000

/**
 * Logs calls: name, time and failure code, never the input. The redactor learns the secrets of an input before a
 * handler works with it; calls keep their order meanwhile.
 */
export function loggedCalls(log: Log, redactor: Redactor): CallWatch {
  const arrivals = new Sequencer()
  return {
    arrived: ({ name, input }) =>
      // A copied text was shown before, and may be large.
      arrivals.queue(() => redactor.learnFrom(name === 'clipboard.write' ? null : input)),
    refused: (name) => log.warn('call', `${name} from a page that may not call`),
    answered({ name }, code, durationMs) {
      const about = { ms: Math.round(durationMs), code: code ?? undefined }
      if (code !== null && !everyday.includes(code)) log.warn('call', name, about)
      else if (durationMs >= slowMs) log.info('call', `${name} was slow`, about)
      else log.debug('call', name, about)
    },
  }
}
