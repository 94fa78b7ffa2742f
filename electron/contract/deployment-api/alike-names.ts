import { foldName } from '../core/fold-name'
import { longestDeploymentName } from './request/create-request'

/**
 * A name as it is compared with what a service may have made of it: lower case, in one form of Unicode, without spaces
 * around it, and with a dash for every space, underscore and dash inside. The interface states no rule for names, so this
 * is for doubt only: it never shows that two names are the same.
 */
const folded = (name: string): string => joinedBy('-', lowered(name))

const joinedBy = (separator: string, name: string): string => name.replace(/[\s_\p{Pd}]+/gu, separator)

const lowered = (name: string): string => foldName(name).trim()

/** A name that is longer is compared as it is: a service may answer names of any length, and folding them all takes time. */
const longestFolded = 4 * longestDeploymentName

/** Whether a service may have made one of two names of the other. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || (Math.max(one.length, other.length) <= longestFolded && folded(one) === folded(other))

/**
 * A name and the usual forms that a service may give it, each once, to ask the list for: whether its filter regards case
 * and the like, the interface does not say. They are the name without spaces around it, in lower case, upper case and with
 * a capital, with dashes, underscores or spaces between its words, as it is or in lower case, and in either form of
 * Unicode. That is up to 15; usual names have three to five. What is in upper case and has other separators as well, say,
 * is not asked for.
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
