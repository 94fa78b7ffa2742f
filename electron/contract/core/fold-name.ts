import { invisible } from './untrusted-text'

/**
 * A form of a name, or of another text, that is equal for those that look or read the same, in which a search looks. It
 * ignores case (ß is SS, and every i is the same), Unicode composition, width and invisible characters, and turns several
 * blanks into one.
 */
export const foldName = (name: string): string =>
  isPlain.test(name)
    ? name.toLowerCase()
    : name
        .normalize('NFKC')
        .replace(invisible, '')
        .replace(/\s+/g, ' ')
        // ẞ has only a small letter that becomes SS, and a capital İ or Σ has several small ones.
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .replace(/i\u0307/g, 'i')
        .replaceAll('ς', 'σ')
        .normalize('NFKC')

/** ASCII without blanks, like most names. They skip the slow normalisation, because lists have thousands of them. */
const isPlain = /^[!-~]*$/

/** The folded words of a search. */
export const searchWords = (search: string): string[] => foldName(search).split(' ').filter(Boolean)
