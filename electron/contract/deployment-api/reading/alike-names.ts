import { foldName } from '../../core/text'
import { longestDeploymentName } from '../request/limits'

const folded = (name: string): string => foldName(name).trim().replace(/\s+/g, ' ')

/** Longer names are compared unchanged: an answer may have names of any length, and folding them takes time. */
const longestFolded = 4 * longestDeploymentName

/** Whether two names differ in case and spaces at most. A service may have changed these. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || (Math.max(one.length, other.length) <= longestFolded && folded(one) === folded(other))

/**
 * A name, and the forms of it that a lookup searches for as well: without spaces around it, and in lower case. The
 * interface doesn't say whether its filter ignores case.
 */
export const formsOf = (name: string): string[] => [
  ...new Set([name, name.trim(), name.trim().toLowerCase()].filter((one) => one !== '')),
]
