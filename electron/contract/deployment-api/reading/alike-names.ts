import { foldName } from '../../core/fold-name'
import { longestDeploymentName } from '../request/request-limits'

/**
 * A form of a name that stays the same whatever a service may have made of the name: lower case, in one form of
 * Unicode, without spaces around it, and with a dash for each space, underscore and dash inside. The interface has no
 * rule for names, so this only raises doubt: it never proves that two names are the same.
 */
const folded = (name: string): string => joinedBy('-', lowered(name))

const joinedBy = (separator: string, name: string): string => name.replace(/[\s_\p{Pd}]+/gu, separator)

const lowered = (name: string): string => foldName(name).trim()

/** Longer names are compared unchanged: an answer may have names of any length, and folding them takes time. */
const longestFolded = 4 * longestDeploymentName

/** Whether a service may have turned one name into the other. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || (Math.max(one.length, other.length) <= longestFolded && folded(one) === folded(other))

/**
 * A name and the forms into which services usually turn it, without duplicates. The lookup searches the list for each,
 * because the interface doesn't say whether its filter ignores case. They are the name without spaces around it, in
 * lower case, upper case and capitalised, with dashes, underscores or spaces between its words (as it is or in lower
 * case), and in both forms of Unicode: up to 15, usually three to five. Some combinations are left out, such as upper
 * case with other separators.
 */
export function formsOf(name: string): string[] {
  const own = name.trim()
  const lower = lowered(name)
  const separated = ['-', '_', ' '].flatMap((separator) =>
    [own, lower].map((one) => joinedBy(separator, one)),
  )
  const cased = [lower, own.toUpperCase(), lower.replace(/^./u, (first) => first.toUpperCase())]
  const composed = [own, lower].flatMap((one) => [one.normalize('NFC'), one.normalize('NFD')])
  const others = [own, ...cased, ...separated, ...composed].filter((one) => one !== '' && isAlike(one, name))
  return [...new Set([name, ...others])]
}
