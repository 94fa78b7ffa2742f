import { log } from '.'
import { describeError, redact } from './redact'

/**
 * Writes an error that nothing else handles to the log and to standard error. Never includes what was sent or received.
 */
export function report(error: unknown): void {
  try {
    const text = describeError(error)
    log.error('error', text)
    console.error(`Slipway: ${redact(text)}`)
  } catch {
    // Reporting an error must never throw.
  }
}
