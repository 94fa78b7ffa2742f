/**
 * The log of this process and what it keeps to itself. One for the whole process, since errors must find it from
 * the first line on.
 */
import { createLog } from './log'
import { createRedactor } from './secrets/redaction'

export type { Log } from './log'

export const redactor = createRedactor()
export const log = createLog(redactor)
