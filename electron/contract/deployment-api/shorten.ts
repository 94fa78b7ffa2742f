import { cutText } from './list/list-limits'

/** How much is kept of a value: values, levels, and characters of all texts together and of each. */
export interface ShortenLimits {
  values: number
  levels: number
  length: number
  textLength: number
}

/** So much is kept of each text even where others are longer than all may be: an identifier, a name. */
const leastTextLength = 500

/** A value that came from JSON, or as much of it as the limits allow. */
export interface Shortened {
  value: unknown
  /** Whether something was cut; else the value is the one that was given. */
  shortened: boolean
  /** How many values it has. */
  values: number
}

/**
 * Cuts a value that came from JSON: long texts get a mark, lists and objects lose their last members. What is further
 * out is kept first, so that the outermost members are there however much the first of them holds.
 */
export function shorten(value: unknown, limits: ShortenLimits): Shortened {
  const counted = { values: 1, length: 0, namesLength: 0, cut: false }
  const open: { from: object; to: unknown[] | Record<string, unknown>; level: number }[] = []

  const keep = (member: unknown, level: number): unknown => {
    if (typeof member === 'string') {
      const room = Math.max(leastTextLength, Math.min(limits.textLength, limits.length - counted.length))
      counted.length += Math.min(member.length, room)
      counted.cut ||= member.length > room
      return cutText(member, room)
    }
    if (typeof member !== 'object' || member === null) return member
    const to = Array.isArray(member) ? [] : {}
    open.push({ from: member, to, level })
    return to
  }

  const kept = keep(value, 1)
  for (const { from, to, level } of open) {
    // Not all names at once: an object may have millions.
    for (const name in from) {
      counted.namesLength += Array.isArray(from) ? 0 : name.length
      counted.values += 1
      if (counted.values > limits.values || counted.namesLength > limits.length || level > limits.levels) {
        counted.cut = true
        break
      }
      const member = keep((from as Record<string, unknown>)[name], level + 1)
      if (Array.isArray(to)) to.push(member)
      // Assigned, this name would change what the object is.
      else if (name !== '__proto__') to[name] = member
    }
  }
  return { value: counted.cut ? kept : value, shortened: counted.cut, values: counted.values }
}
