import type { FailureCode } from '@contract'
import type { Log } from '../log'
import type { CallWatch } from './answer'

/** Failures that are part of normal use. */
const everyday: readonly FailureCode[] = ['cancelled', 'environment-changed', 'confirmation-needed']

/** From how long on a call counts as slow, in milliseconds. The log then has it at its usual level. */
const slowMs = 1_000

/** Logs calls: name, time and failure code, never the input. */
export function loggedCalls(log: Log): CallWatch {
  return {
    refused: (name) => log.warn('call', `${name} from a page that may not call`),
    answered({ name }, code, durationMs) {
      const about = { ms: Math.round(durationMs), code: code ?? undefined }
      if (code !== null && !everyday.includes(code)) log.warn('call', name, about)
      else if (durationMs >= slowMs) log.info('call', `${name} was slow`, about)
      else log.debug('call', name, about)
    },
  }
}
