import { log, redactor } from '.'
import { describeError } from './describe-error'

/**
 * Notes an error that nobody else will hear of, in the log and on standard error. What went out or came in is never
 * part of it.
 */
export function report(error: unknown): void {
  try {
    const text = describeError(error)
    log.error('error', text)
    console.error(`Slipway: ${redactor.redact(text)}`)
  } catch {
    // Whoever reports an error must not fail by it.
  }
}
