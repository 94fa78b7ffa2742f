import { invisible } from './untrusted-text'

/**
 * A form of a name that is equal for names that look the same. It ignores case, Unicode composition and invisible
 * characters, and turns several spaces into one.
 */
export const foldName = (name: string): string =>
  (isPlain.test(name)
    ? name
    : name.normalize('NFKC').replace(invisible, '').replace(/\s+/g, ' ')
  ).toLowerCase()

/** ASCII without blanks, like most names. They skip the slow normalisation, because lists have thousands of them. */
const isPlain = /^[!-~]*$/
