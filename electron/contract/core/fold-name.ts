import { invisible } from './untrusted-text'

/**
 * A name as it is compared with others that look the same: without differences of case and Unicode composition, without
 * invisible characters, and with one space for several.
 */
export const foldName = (name: string): string =>
  (isPlain.test(name)
    ? name
    : name.normalize('NFKC').replace(invisible, '').replace(/\s+/g, ' ')
  ).toLowerCase()

/** ASCII without blanks, as most names are: lists have thousands of them. */
const isPlain = /^[!-~]*$/
