import { hiddenValue } from '@contract'

/** The longest text of a service that is shown, in characters. */
export const longestText = 2000

/** How many characters are read of a text of which `longest` are shown: the rest may be white space. */
const readFor = (longest: number): number => longest * 10

/**
 * Makes a text of a service safe to show. The result has no characters that move, colour or reverse the text around it,
 * none of `secrets` as they were sent, and at most `longest` characters.
 */
export function plainText(text: string, secrets: readonly string[] = [], longest = longestText): string {
  // Secrets go before the text is cut, so that none is left in half.
  const clean = withoutSecrets(visible(text.slice(0, readFor(longest) + longestSecret)), secrets)
  const characters = Array.from(clean)
  return characters.length <= longest ? clean : characters.slice(0, longest - 1).join('') + '…'
}

/** A longer secret is masked only as far as it was read. */
const longestSecret = 20_000

/** Shorter values aren't secrets. Those below `hiddenInside` characters are masked as whole words: "prod", but not in "production". */
const shortestSecret = 4
const hiddenInside = 8

/** A text with `hiddenValue` in place of each secret, spelled as it was sent. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => {
      if (secret.length >= hiddenInside) return rest.replaceAll(secret, hiddenValue)
      return rest.replace(
        new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(secret)}(?![\\p{L}\\p{N}_])`, 'gu'),
        hiddenValue,
      )
    }, text)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Removes control, formatting (bidirectional, zero-width) and unassigned characters, and folds white space. */
function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
