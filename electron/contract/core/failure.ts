import { z } from 'zod'
import { refusedCertificateSchema } from './network'

/** Everything that can go wrong, as a closed list. A failure is data: nothing is thrown across a process boundary. */
const failureCodes = [
  // Something is wrong with the call itself.
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
  // It failed before the service answered.
  'offline',
  'timeout',
  'certificate',
  'proxy',
  'connection-lost',
  // The service's answer is a failure.
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
  // Something is wrong on this machine.
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

/** One thing that is wrong with an input. `path` leads to the member, outermost first. */
const fieldIssueSchema = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
})

export type FieldIssue = z.infer<typeof fieldIssueSchema>

/**
 * Whether the service may have seen the failed request:
 * - `no`: certainly not, so it did nothing;
 * - `maybe`: possibly, and it may have done what was requested;
 * - `answered`: it, or something in front of it, answered with the failure's `status`.
 */
const sentSchema = z.enum(['no', 'maybe', 'answered'])

export type Sent = z.infer<typeof sentSchema>

/** A failure for display: what happened, what it means, what to do, and the service's own message. */
export const failureSchema = z.object({
  code: failureCodeSchema,
  /** What happened, in one sentence. */
  message: z.string(),
  /** What it means and what to do, or null if the message says it all. */
  advice: z.string().nullable(),
  /** Whether the same call may succeed if it is repeated unchanged. */
  retryable: z.boolean(),
  /** The default is for failures that older versions stored without it. */
  sent: sentSchema.default('maybe'),
  /** The HTTP status, if the service answered. */
  status: z.int().nullable(),
  /** The service's own message, if it sent one: plain text, at most 2,000 characters. */
  serviceWords: z.string().nullable(),
  /** What is wrong with which member of an input, from our own check or the service's `detail` list. */
  issues: z.array(fieldIssueSchema),
  /** After how many seconds the service asked to be called again. */
  retryAfterSeconds: z.number().nullable(),
  /** The journal's identifier of the attempt that blocks the call. */
  attemptId: z.string().optional(),
  /** The service's certificate, if it was refused. */
  certificate: refusedCertificateSchema.optional(),
})

export type Failure = z.infer<typeof failureSchema>

/** Whether a creation was refused because of its name. An earlier copy of the same request may have taken it. */
export const isNameTaken = ({ sent, status }: Failure): boolean => sent === 'answered' && status === 409

/**
 * How many issues of an input are reported, and how long their messages may be: an input may have any number of
 * members.
 */
const maxDetails = { issues: 200, characters: 500 } as const

/** The issues of a zod error as field issues; only the first ones if there are very many. */
export function fieldIssues(error: z.ZodError): FieldIssue[] {
  return error.issues.slice(0, maxDetails.issues).map((issue) => ({
    path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message: issue.message.slice(0, maxDetails.characters),
  }))
}
