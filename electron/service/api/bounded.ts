import { z } from '@hono/zod-openapi'
import { limits } from '../base/limits'

const tooDeep = `Input should not be nested more than ${limits.levels} levels deep`
const unkept = 'Input should have no member named __proto__, which would be lost'
const tooManyItems = `Input should not have more than ${limits.items} items in its lists`

/** A body that is refused if it is nested too deeply, or has too many items or a member that objects can't keep: `schema` reads the others. */
export function bounded<Schema extends z.ZodObject>(schema: Schema) {
  return z.preprocess((body, context) => {
    const message = faultOf(body)
    if (message !== null) context.addIssue({ code: 'custom', message })
    return body
  }, schema)
}

/** What `schema` must not be given of a value; null if nothing. Doesn't recurse: the value may be nested deeply. */
function faultOf(body: unknown): string | null {
  const left = [{ value: body, level: 0 }]
  let items = 0
  let hasProto = false
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, level } = next
    if (typeof value !== 'object' || value === null) continue
    if (level === limits.levels) return tooDeep
    if (Array.isArray(value)) items += value.length
    // Members of more lists than are allowed aren't looked at, however many there are.
    if (items > limits.items) return tooManyItems
    hasProto ||= Object.hasOwn(value, '__proto__')
    for (const member of Object.values(value)) left.push({ value: member, level: level + 1 })
  }
  return hasProto ? unkept : null
}
