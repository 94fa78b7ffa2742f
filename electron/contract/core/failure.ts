import { z } from 'zod'
import { refusedCertificateSchema } from './network'

/** Everything that can go wrong, as a closed list. A failure is data: nothing is thrown across a process boundary. */
export const failureCodes = [
  // The call itself.
  'invalid-input',
  'not-allowed',
  'cancelled',
  'environment-changed',
  'not-found',
  'confirmation-needed',
  'attempt-unclear',
  'attempt-changed',
  'other-service',
  'internal',
  // Before the service answered.
  'offline',
  'timeout',
  'certificate',
  'proxy',
  'connection-lost',
  // What the service answered.
  'redirected',
  'too-large',
  'unreadable-answer',
  'bad-request',
  'unauthorised',
  'forbidden',
  'not-found-at-service',
  'conflict',
  'rate-limited',
  'service-error',
  'unexpected-status',
  // The machine.
  'keychain-locked',
  'keychain-missing',
  'keychain-unresponsive',
  'keychain-refused',
  'built-in-service',
  'cache',
  'disk-full',
] as const

const failureCodeSchema = z.enum(failureCodes)

export type FailureCode = z.infer<typeof failureCodeSchema>

/** One thing wrong with an input; `path` leads to the member, from the outermost in. */
const fieldIssueSchema = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
})

export type FieldIssue = z.infer<typeof fieldIssueSchema>

/**
 * Whether the service may have seen the request that failed:
 * - `no`: certainly not, so that it has done nothing;
 * - `maybe`: it may have, and may have done what it was asked;
 * - `answered`: it, or something in front of it, answered with the failure's `status`.
 */
const sentSchema = z.enum(['no', 'maybe', 'answered'])

export type Sent = z.infer<typeof sentSchema>

/** A failure as it is shown: what happened, what it means and what to do, and the service's own words. */
export const failureSchema = z.object({
  code: failureCodeSchema,
  /** What happened, one sentence. */
  message: z.string(),
  /** What it means and what one can do, or null where the message says it all. */
  advice: z.string().nullable(),
  /** Whether the same call may succeed when it is made again unchanged. */
  retryable: z.boolean(),
  /** Failures that were kept by a version which did not know it may have been sent. */
  sent: sentSchema.default('maybe'),
  /** HTTP status, when the service answered. */
  status: z.int().nullable(),
  /** The service's own words, when there were any: plain text, at most 2,000 characters. */
  serviceWords: z.string().nullable(),
  /** What is wrong with which member of an input, from our own check or the service's `detail` list. */
  issues: z.array(fieldIssueSchema),
  /** Seconds after which the service asked to be called again. */
  retryAfterSeconds: z.number().nullable(),
  /** The creation attempt that is in the way of what was asked, by its identifier in the journal. */
  attemptId: z.string().optional(),
  /** The certificate of the service, where that was refused. */
  certificate: refusedCertificateSchema.optional(),
})

export type Failure = z.infer<typeof failureSchema>

/** Whether a creation was refused because of its name, which an earlier copy of the very request may have taken. */
export const isNameTaken = ({ sent, status }: Failure): boolean => sent === 'answered' && status === 409

/** The issues of a zod error as field issues. */
export function fieldIssues(error: z.ZodError): FieldIssue[] {
  return error.issues.map((issue) => ({
    path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message: issue.message,
  }))
}
