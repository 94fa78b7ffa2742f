import { z } from '@hono/zod-openapi'
import { limits } from '../base/limits'

const tooDeep = `Input should not be nested more than ${limits.levels} levels deep`
const unkept = 'Input should have no member named __proto__, which would be lost'
const tooManyItems = `Input should not have more than ${limits.items} items in its lists`

/** A body that is refused if it is nested too deeply, or has too many items or a member that objects can't keep: `schema` reads the others. */
export function bounded<Schema extends z.ZodObject>(schema: Schema) {
  return z.preprocess(
    (body, context) => {
      if (hasMoreItems(body, limits.items)) {
        context.addIssue({ code: 'custom', message: isDeeper(body, limits.levels) ? tooDeep : tooManyItems })
      } else if (hasProto(body)) context.addIssue({ code: 'custom', message: unkept })
      return body
    },
    schema.refine((body) => !isDeeper(body, limits.levels), tooDeep),
  )
}

/** Whether the arrays inside a value have more than `most` items together. Doesn't recurse: it may be nested deeply. */
function hasMoreItems(value: unknown, most: number): boolean {
  const left = [value]
  let items = 0
  while (left.length > 0 && items <= most) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) items += next.length
    if (items <= most) for (const member of Object.values(next)) left.push(member)
  }
  return items > most
}

/** Whether an object inside a value has a member `__proto__`, which schemas drop. Doesn't recurse, either. */
function hasProto(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__')) return true
    for (const member of Object.values(next)) left.push(member)
  }
  return false
}

/** Whether a value has more than `levels` levels. Doesn't look any deeper. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
