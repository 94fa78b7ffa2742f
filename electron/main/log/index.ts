/**
 * The log and the redactor of this process. There is one of each, and both exist before any other code runs, so that
 * early errors can be logged.
 */
import { createLog } from './log'
import { createRedactor } from './secrets/redaction'

export type { Log } from './log'

export const redactor = createRedactor()
export const log = createLog(redactor)
