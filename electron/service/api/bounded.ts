import { z } from '@hono/zod-openapi'
import { limits } from '../base/limits'

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
