import { z } from '@hono/zod-openapi'
import { acceptedRequestSchemas as accepted } from '@contract'
import { limits } from '../base/limits'

// The contract's schemas have no `openapi`, so it is added by `describe` and `extend`.

const resourceSpec = accepted.resourceSpec.describe('Scaling and sizing.').openapi('ResourceSpec')

const secretReference = accepted.secretReference
  .describe('Only for source external_docker.')
  .openapi('SecretReference')

/** Each secret becomes an environment variable, so their names must differ. */
const secrets = accepted.createRequest.shape.secrets
  .superRefine((list, context) => {
    const names = new Set<string>()
    list.forEach(({ name }, index) => {
      if (names.has(name)) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Another secret has this name' })
      }
      names.add(name)
    })
  })
  .describe('Each name once. Values are neither stored nor answered.')

/** Parts of requests. Some have names in the OpenAPI document, from which generated clients make types. */
export const requestParts = {
  resourceSpec,
  secretReference,
  secrets,
  sourceConfig: accepted.sourceConfig
    .extend({ resource_spec: resourceSpec.nullish() })
    .openapi('SourceConfigInput'),
  sourceRevisionConfig: accepted.sourceRevisionConfig
    .describe('What each revision has.')
    .openapi('SourceRevisionConfigInput'),
  secretReferences: z.array(secretReference).nullish(),
}

const tooDeep = `Input should not be nested more than ${limits.levels} levels deep`
const lostMember = 'Input should have no member named __proto__, which would be lost'
const tooManyItems = `Input should not have more than ${limits.items} items in its lists`

/**
 * A schema that refuses a body with too many levels or items, or with a member name that objects can't have. `schema`
 * reads all others.
 *
 * @param complete fills in members that a body may leave out
 */
export function bounded<Schema extends z.ZodObject>(
  schema: Schema,
  complete: (body: unknown) => unknown = (body) => body,
) {
  return z.preprocess((body, context) => {
    const message = faultOf(body)
    if (message !== null) context.addIssue({ code: 'custom', message })
    return complete(body)
  }, schema)
}

/** Why a value must not reach `schema`; null if it may. Doesn't recurse, because the value may be nested deeply. */
function faultOf(body: unknown): string | null {
  const left = [{ value: body, level: 0 }]
  let items = 0
  let hasProto = false
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, level } = next
    if (typeof value !== 'object' || value === null) continue
    if (level === limits.levels) return tooDeep
    if (Array.isArray(value)) items += value.length
    // Stops at the limit, however many items there are.
    if (items > limits.items) return tooManyItems
    hasProto ||= Object.hasOwn(value, '__proto__')
    for (const member of Object.values(value)) left.push({ value: member, level: level + 1 })
  }
  return hasProto ? lostMember : null
}
