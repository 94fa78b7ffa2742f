import {
  type CreateRequest,
  createRequestSchema,
  fail,
  failure,
  type FieldIssue,
  fieldIssues,
  idOfMark,
  type Outcome,
  succeed,
} from '@contract'
import type { ReadyEnvironment } from '../../environments/types'
import { secretsPlaceOf, whyNotSent } from '../../environments/identity'
import type { SecretValue } from './collections'

/**
 * Replaces the marks in a request by their values, to send them to an environment. Fails with `invalid-input` if a value
 * wasn't entered for it as it is now, or is no longer stored, or if the values exceed the interface's limits.
 *
 * @param find gives the value of a mark; null if it is no longer stored
 */
export function fillIn(
  request: CreateRequest,
  environment: ReadyEnvironment,
  find: (mark: string) => SecretValue | null,
): Outcome<CreateRequest> {
  const to = secretsPlaceOf(environment)
  const issues: FieldIssue[] = []
  const secrets = request.secrets.map((secret, index) => {
    if (idOfMark(secret.value) === null) return secret
    const stored = find(secret.value)
    const why = stored ? whyNotSent(stored.place, to) : 'its value is no longer stored'
    if (why !== null) {
      issues.push({ path: ['secrets', index, 'value'], message: `Enter this value again: ${why}.` })
    }
    return { ...secret, value: stored?.value ?? '' }
  })
  if (issues.length > 0) return refused('The stored values of some secrets may not be sent here', issues)
  // A short mark may stand for a long value, and occur many times.
  const parsed = createRequestSchema.shape.secrets.safeParse(secrets)
  if (parsed.success) return succeed({ ...request, secrets })
  const tooLarge = fieldIssues(parsed.error)
  return refused(
    'The stored values of the secrets are too large',
    tooLarge.map(({ path, message }) => ({ path: ['secrets', ...path], message })),
  )
}

const refused = (message: string, issues: FieldIssue[]): Outcome<never> =>
  fail(failure('invalid-input', `${message}, so nothing was sent.`, { advice: 'Enter them again.', issues }))
