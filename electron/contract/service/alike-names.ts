import { longestDeploymentName } from './create-request'

/**
 * A name as it is compared with what a service may have made of it: lower case, in one form of Unicode, without spaces
 * around it, and with a dash for every space, underscore and dash inside. The interface states no rule for names, so this
 * is for doubt only: it never shows that two names are the same.
 */
function folded(name: string): string {
  return lowered(name).replace(/[\s_\p{Pd}]+/gu, '-')
}

const lowered = (name: string): string => name.normalize('NFKC').toLowerCase().trim()

/** A name that is longer is compared as it is: a service may answer names of any length, and folding them all takes time. */
const longestFolded = 4 * longestDeploymentName

/** Whether a service may have made one of two names of the other. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || (Math.max(one.length, other.length) <= longestFolded && folded(one) === folded(other))

/** A name and the usual forms that a service may give it, each once, to ask the list for. */
export function formsOf(name: string): string[] {
  const forms = [name, lowered(name), folded(name)]
  return [...new Set(forms)].filter((form, index) => index === 0 || form !== '')
}
